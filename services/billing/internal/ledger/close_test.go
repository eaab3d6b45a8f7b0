package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

func (f *fixture) close(user uuid.UUID) (expired int64) {
	f.t.Helper()
	err := f.inTx(func(tx pgx.Tx) (err error) {
		expired, err = f.Close(f.t.Context(), tx, user)
		return err
	})
	errtest.None(f.t, err)
	return expired
}

// TestAClosedAccountHasNothingAndGetsNothing: not by a grant, by staff or by a refund that has
// failed; and its books add up.
func TestAClosedAccountHasNothingAndGetsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user, other, never := f.funded(1000), f.funded(500), uuid.New()
	errtest.None(t, f.spend(user, "k", 100))
	held := f.hold(user, 200, time.Hour)
	f.clawback(refundOf(user, "re_1", 300))
	if expired := f.close(user); expired != 600 {
		t.Errorf("%d expired, want what was left and what was held", expired)
	}
	f.restore(user, "re_1")
	if expired := f.close(user); expired != 0 {
		t.Errorf("%d expired the second time", expired)
	}
	f.close(never)
	if err := f.spend(user, "l", 1); !errors.Is(err, ledger.ErrInsufficient) {
		t.Errorf("a spend: %v", err)
	}
	if _, err := f.Settle(t.Context(), user, held.ID, 50); !errors.Is(err, ledger.ErrHoldExpired) {
		t.Errorf("settling the hold: %v", err)
	}
	for _, id := range []uuid.UUID{user, never} {
		if f.grant(monthly(id, "late", 1000, f.clock.Now())) {
			t.Error("a grant was given")
		}
		err := f.inTx(func(tx pgx.Tx) error {
			_, err := f.Adjust(t.Context(), tx, ledger.Adjustment{
				UserID: id, Fact: "staff/" + id.String(), Amount: 100, ExpiresAt: f.clock.Now().AddDate(0, 1, 0), Description: "With our apologies",
			})
			return err
		})
		if !errors.Is(err, ledger.ErrClosed) {
			t.Errorf("an adjustment: %v", err)
		}
		f.clock.Advance(time.Hour)
		f.has(id, 0, 0, 0, 0)
	}
	f.has(other, 500, 500, 0, 0)
	if wrong, err := f.Check(t.Context()); err != nil || wrong != 0 {
		t.Errorf("%d accounts do not add up, %v", wrong, err)
	}
}

// TestAGrantThatMeetsAClosingIsEndedOrRefused, also for an account that had no row.
func TestAGrantThatMeetsAClosingIsEndedOrRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 50 {
		user := uuid.New()
		granted := make(chan error, 1)
		go func() {
			granted <- f.inTx(func(tx pgx.Tx) error {
				_, err := f.Grant(t.Context(), tx, monthly(user, "base", 1000, f.clock.Now()))
				return err
			})
		}()
		f.close(user)
		errtest.None(t, <-granted)
		f.has(user, 0, 0, 0, 0)
	}
}
