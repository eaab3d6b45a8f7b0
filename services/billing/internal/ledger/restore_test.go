package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

func (f *fixture) restore(user uuid.UUID, fact string) (got ledger.Restored) {
	f.t.Helper()
	err := f.inTx(func(tx pgx.Tx) (err error) {
		got, err = f.Restore(f.t.Context(), tx, ledger.Restoration{Fact: fact, Grant: user.String() + "/base", Description: "Refund that failed"})
		return err
	})
	errtest.None(f.t, err)
	return got
}

func refundOf(user uuid.UUID, fact string, amount int64) ledger.Clawback {
	return ledger.Clawback{Fact: fact, Grant: user.String() + "/base", Amount: amount, Description: "Refund"}
}

func (f *fixture) happened(user uuid.UUID, want ...string) {
	f.t.Helper()
	if got := f.entries(user); !slices.Equal(got, want) {
		f.t.Errorf("entries %v, want %v", got, want)
	}
}

func TestAClawbackThatIsVoidIsGivenBackOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	f.clawback(refundOf(user, "re_1", 400))
	for i, want := range []ledger.Restored{{New: true, Given: 400}, {Given: 400}} {
		if got := f.restore(user, "re_1"); got != want {
			t.Errorf("time %d: %+v, want %+v", i, got, want)
		}
	}
	if got := f.clawback(refundOf(user, "re_1", 400)); got != (ledger.Clawed{}) {
		t.Errorf("what is void was taken again: %+v", got)
	}
	f.has(user, 1000, 1000, 0, 0)
	f.happened(user, "grant 1000", "clawback -400", "adjust 400")
	if got := f.clawback(refundOf(user, "re_2", 1000)); got != (ledger.Clawed{New: true, Taken: 1000}) {
		t.Errorf("the refund that comes instead: %+v", got)
	}
}

func TestAClawbackThatIsHeardOfAfterItsFailureTakesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	if got := f.restore(user, "re_1"); got != (ledger.Restored{New: true}) {
		t.Errorf("nothing was taken and %+v given back", got)
	}
	f.clawback(refundOf(user, "re_1", 400))
	f.has(user, 1000, 1000, 0, 0)
	f.happened(user, "grant 1000")
}

// TestWhatWasUsedIsNotGivenBack, but is owed no more.
func TestWhatWasUsedIsNotGivenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	errtest.None(t, f.spend(user, "s", 700))
	held := f.hold(user, 200, time.Hour)
	f.clawback(refundOf(user, "re_1", 1000)) // takes 100, and 900 are owed
	if got := f.restore(user, "re_1"); got != (ledger.Restored{New: true, Given: 100}) {
		t.Errorf("given back: %+v", got)
	}
	if _, err := f.Settle(t.Context(), user, held.ID, 0); err != nil {
		t.Fatal(err)
	}
	f.has(user, 300, 1000, 700, 0)
}

// TestADisputeThatFoundNothingLeftTakesThePlaceOfARefundThatFailed: the refund failed
// because of it, and the money is gone all the same.
func TestADisputeThatFoundNothingLeftTakesThePlaceOfARefundThatFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	f.clawback(refundOf(user, "re_1", 1000))
	f.clawback(refundOf(user, "dp_1", 600))
	if got := f.restore(user, "re_1"); got != (ledger.Restored{New: true, Given: 400}) {
		t.Errorf("given back: %+v", got)
	}
	f.has(user, 400, 400, 0, 0)
}

// TestWhatStaffTookStaysTaken when a refund of the same grant fails.
func TestWhatStaffTookStaysTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	if err := f.inTx(func(tx pgx.Tx) error {
		_, err := f.Adjust(t.Context(), tx, ledger.Adjustment{UserID: user, Fact: "TKT-1", Amount: -300, Description: "By hand"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	f.clawback(refundOf(user, "re_1", 1000))
	if got := f.restore(user, "re_1"); got != (ledger.Restored{New: true, Given: 700}) {
		t.Errorf("given back: %+v", got)
	}
	f.has(user, 700, 700, 0, 0)
}

// TestAfterThePeriodWhatIsGivenBackHasAPeriodOfItsOwn: in the one that was paid for
// nobody could use it.
func TestAfterThePeriodWhatIsGivenBackHasAPeriodOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	f.clawback(refundOf(user, "re_1", 1000))
	f.clock.Advance(40 * 24 * time.Hour)
	for range 2 {
		if got := f.restore(user, "re_1"); got.Given != 1000 {
			t.Errorf("given back: %+v", got)
		}
	}
	f.has(user, 1000, 1000, 0, 0)
	f.clock.Advance(30*24*time.Hour - time.Second)
	f.has(user, 1000, 1000, 0, 0)
	f.clock.Advance(time.Second)
	f.has(user, 0, 0, 0, 0)
	f.happened(user, "grant 1000", "clawback -1000", "adjust 1000", "expire -1000")
}

func TestARestorationOfAnothersClawbackFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user, other := f.funded(100), f.funded(100)
	f.clawback(refundOf(user, "re_1", 100))
	for _, grant := range []string{other.String() + "/base", "never given"} {
		err := f.inTx(func(tx pgx.Tx) error {
			_, err := f.Restore(t.Context(), tx, ledger.Restoration{Fact: "re_1", Grant: grant, Description: "x"})
			return err
		})
		if err == nil || (grant == "never given") != errors.Is(err, ledger.ErrNoGrant) {
			t.Errorf("%s: %v", grant, err)
		}
	}
	f.has(other, 100, 100, 0, 0)
}

// TestAClawbackTurnsAsOftenAsItsReason, and one that was void before it ever stood can
// stand later.
func TestAClawbackTurnsAsOftenAsItsReason(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	f.clawback(refundOf(user, "du_10", 100)) // another's, with a name that begins the same
	for i, stands := range []bool{false, true, true, false, false, true, false, true} {
		err := f.inTx(func(tx pgx.Tx) error { return f.Turn(t.Context(), tx, refundOf(user, "du_1", 400), stands) })
		errtest.None(t, err)
		want := int64(900)
		if stands {
			want = 500
		}
		if credits, _, err := f.Credits(t.Context(), user); err != nil || credits.Balance != want {
			t.Errorf("turn %d: %+v, %v; want %d left", i, credits, err, want)
		}
	}
	f.happened(user, "grant 1000", "clawback -100", "clawback -400", "adjust 400", "clawback -400", "adjust 400", "clawback -400")
}
