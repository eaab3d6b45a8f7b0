package subscription

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
)

// The scripted Stripe counts what it is asked to end.

func (s *scripted) CancelSubscription(context.Context, string) error {
	s.cancelled++
	if s.cancel != nil {
		s.cancel()
	}
	return nil
}

func (s *scripted) StopRenewal(context.Context, stripe.Subscription) error {
	s.stopped++
	return nil
}

// stands says what the shop's account is in since a moment.
func (s *shop) stands(state string, since time.Time) {
	s.Helper()
	if _, err := s.pool.Exec(s.Context(), `INSERT INTO account_states VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE SET state = EXCLUDED.state, since = EXCLUDED.since`, s.user, state, since); err != nil {
		s.Error(err)
	}
}

// TestWhatIsPaidAfterTheErasureIsCancelledAndTold, each time that somebody asks, and nothing
// is granted for it. What was paid before is in order.
func TestWhatIsPaidAfterTheErasureIsCancelledAndTold(t *testing.T) {
	t.Parallel()
	for erased, want := range map[time.Duration]string{-time.Hour: ErasedAccount, time.Hour: ""} {
		s := newShop(t)
		s.api.cancel = func() { s.status = "canceled" }
		s.stands(store.Erased, time.Now().Add(erased))
		err := pgx.BeginFunc(t.Context(), s.pool, func(tx pgx.Tx) error {
			_, err := s.ledger.Close(t.Context(), tx, s.user)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.pays()
		for range 2 {
			err := s.Sync(t.Context(), "sub_1")
			if unfit, _ := errors.AsType[*Unfit](err); want == "" && err != nil || want != "" && (unfit == nil || unfit.Reason != want) {
				t.Errorf("paid %s after the erasure: %v, want %q", -erased, err, want)
			}
		}
		if s.api.cancelled != 1 {
			t.Errorf("cancelled %d times", s.api.cancelled)
		}
		s.isFree()
		s.has(0)
	}
}

// isFree checks that the account is shown no subscription.
func (s *shop) isFree() {
	s.Helper()
	if got, ok, err := s.Current(s.Context(), s.user); err != nil || ok {
		s.Errorf("the account is shown %+v, %v", got, err)
	}
}

// TestAnErasureIsNotOverlooked by who has asked Stripe before it.
func TestAnErasureIsNotOverlooked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.api.cancel = func() { s.status = "canceled" }
	s.api.meanwhile = func() { s.stands(store.Erased, time.Now()) }
	s.apply()
	if s.api.cancelled != 1 {
		t.Errorf("cancelled %d times", s.api.cancelled)
	}
	s.isFree()
}

// TestADisabledAccountsSubscriptionEndsWithItsPeriod, unless it is set to or the account is
// enabled by the time.
func TestADisabledAccountsSubscriptionEndsWithItsPeriod(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.stands(store.Disabled, time.Now())
	scheduled := false
	was := s.api.subscription
	s.api.subscription = func() stripe.Subscription {
		sub := was()
		sub.CancelAtPeriodEnd = scheduled || s.api.stopped > 0
		return sub
	}
	s.apply()
	if s.isShown(Cancelled); s.api.stopped != 1 {
		t.Errorf("stopped %d times", s.api.stopped)
	}
	scheduled, s.api.stopped = true, 0
	if s.apply(); s.api.stopped != 0 {
		t.Error("one that was set to end was stopped")
	}
	scheduled = false
	s.api.meanwhile = func() { s.stands(store.Active, time.Now()) }
	s.apply()
	if s.isShown(Active); s.api.stopped != 0 {
		t.Error("one of an account that was enabled meanwhile was stopped")
	}
}

func TestAnErasedAccountIsBoundToNoCustomer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if _, err := s.pool.Exec(t.Context(), `UPDATE customers SET customer_id = NULL`); err != nil {
		t.Fatal(err)
	}
	s.stands(store.Erased, time.Now())
	if bound, err := s.Bind(t.Context(), s.user, "cus_2"); !errors.Is(err, ErrErased) || bound != "" {
		t.Errorf("bound to %q, %v", bound, err)
	}
}
