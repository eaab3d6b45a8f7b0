package subscription

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/erasure"
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
		s.erased(erased)
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

// erased has the shop's account gone, since a moment from now, and its credits ended.
func (s *shop) erased(since time.Duration) {
	s.Helper()
	s.api.cancel = func() { s.status = "canceled" }
	s.stands(store.Erased, time.Now().Add(since))
	err := pgx.BeginFunc(s.Context(), s.pool, func(tx pgx.Tx) error {
		_, err := s.ledger.Close(s.Context(), tx, s.user)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// TestWhatABankPaysAfterTheErasureIsTold, though the invoice is from before.
func TestWhatABankPaysAfterTheErasureIsTold(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.erased(-time.Hour)
	s.pays()
	s.api.paid[0].Created = time.Now().AddDate(0, 0, -4)
	err := s.Sync(t.Context(), "sub_1")
	if unfit, _ := errors.AsType[*Unfit](err); unfit == nil || unfit.Reason != ErasedAccount {
		t.Errorf("paid after the erasure: %v", err)
	}
}

// TestMoneyThatGoesBackToAnErasedAccountRaisesNoCase: whoever paid too late was given nothing, so
// nothing is taken, however often the money goes to and fro. What was given before is taken.
func TestMoneyThatGoesBackToAnErasedAccountRaisesNoCase(t *testing.T) {
	t.Parallel()
	for _, given := range []bool{false, true} {
		s := newShop(t)
		s.pays() // once: a second later it would be another period's, of which nothing was given
		if given {
			s.apply()
		}
		s.erased(-time.Hour)
		for _, status := range []string{"succeeded", "failed"} {
			s.api.refund = status
			if err := s.Refunded(t.Context(), "ch_1"); err != nil {
				t.Errorf("given %t, a refund that has %s: %v", given, status, err)
			}
		}
		for _, status := range []string{"under_review", "won", "lost"} {
			s.api.dispute = status
			if err := s.Disputed(t.Context(), "dp_1"); err != nil {
				t.Errorf("given %t, a dispute that is %s: %v", given, status, err)
			}
		}
		var n int
		if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM credit_withdrawals").Scan(&n); err != nil || n > 0 != given {
			t.Errorf("given %t: %d withdrawals, %v", given, n, err)
		}
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
	if bound, err := s.Bind(t.Context(), s.user, "cus_2"); !errors.Is(err, erasure.ErrErased) || bound != "" {
		t.Errorf("bound to %q, %v", bound, err)
	}
}
