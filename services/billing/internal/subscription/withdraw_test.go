package subscription

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/errtest"
)

// TestMoneyBackIsAShareOfTheInvoice: of one that came to more than the charge, because a credit or
// another charge paid the rest, only that share goes; of one that granted twice, a share of each.
func TestMoneyBackIsAShareOfTheInvoice(t *testing.T) {
	t.Parallel()
	start := time.Now().Truncate(time.Second)
	middle, end := start.AddDate(0, 1, 0), start.AddDate(0, 2, 0)
	for name, tc := range map[string]struct {
		total    int64
		lines    []stripe.Line
		refund   int64
		disputed int64
	}{
		// The charge is of 2500 and 500 of it are refunded; the month gave 5000.
		"the charge paid all":        {2500, []stripe.Line{month("price_pro", start, middle)}, 4000, 0},
		"a balance paid the half":    {5000, []stripe.Line{month("price_pro", start, middle)}, 4500, 2000},
		"no total, as of old events": {0, []stripe.Line{month("price_pro", start, middle)}, 4000, 0},
		"two months at once":         {5000, []stripe.Line{month("price_pro", start, middle), month("price_pro", middle, end)}, 4500, 2000},
	} {
		s := newShop(t)
		bought := bill("in_1", "subscription_create", start, tc.lines...)
		bought.SubscriptionID, bought.Total = "sub_1", tc.total
		s.api.paid, s.api.refund, s.api.dispute = []stripe.Invoice{bought}, "succeeded", "under_review"
		for range 2 {
			if err := s.Refunded(t.Context(), "ch_1"); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		left := func() (n int64) {
			errtest.None(t, s.pool.QueryRow(t.Context(), "SELECT min(amount - withdrawn - owed) FROM credit_grants WHERE user_id = $1", s.user).Scan(&n))
			return n
		}
		if n := left(); n != tc.refund {
			t.Errorf("%s: %d of each grant are left after a refund, want %d", name, n, tc.refund)
		}
		for range 2 {
			if err := s.Disputed(t.Context(), "dp_1"); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if n := left(); n != tc.disputed {
			t.Errorf("%s: %d of each grant are left after a dispute, want %d", name, n, tc.disputed)
		}
	}
}

// TestARefundIsAShareOfWhatWasGiven, whatever the plan gives now.
func TestARefundIsAShareOfWhatWasGiven(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.pays()
	s.apply()
	if _, err := s.pool.Exec(t.Context(), "UPDATE plans SET monthly_credits = 6000 WHERE id = 'pro'"); err != nil {
		t.Fatal(err)
	}
	s.api.refund = "succeeded" // a fifth
	errtest.None(t, s.Refunded(t.Context(), "ch_1"))
	s.has(4000)
}

// TestARefundTakesWhatStaffHaveGivenForTheInvoice, as of one that grants by itself.
func TestARefundTakesWhatStaffHaveGivenForTheInvoice(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.pays()
	s.api.paid[0].Lines[0].Quantity = 2
	s.gives("in_1", 10000)
	s.api.refund = "succeeded" // a fifth
	for range 2 {
		if _, odd := errors.AsType[*Unfit](s.Refunded(t.Context(), "ch_1")); !odd {
			t.Error("the invoice is odd no more")
		}
	}
	s.has(8000)
}

// gives has staff give credits for an invoice.
func (s *shop) gives(invoice string, credits int64) {
	s.Helper()
	err := pgx.BeginFunc(s.Context(), s.pool, func(tx pgx.Tx) error {
		_, err := s.ledger.Adjust(s.Context(), tx, ledger.Adjustment{UserID: s.user, Fact: CaseFact(invoice), Amount: credits, ExpiresAt: time.Now().AddDate(0, 1, 0), Description: "Added by staff"})
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// TestWhatStaffHaveGivenForAnInvoiceIsAllThatItGives, also once its price was agreed on.
func TestWhatStaffHaveGivenForAnInvoiceIsAllThatItGives(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.pays()
	s.api.paid[0].Lines[0].PriceID = "price_sales"
	had := s.api.subscription
	s.api.subscription = func() stripe.Subscription {
		sold := had()
		sold.PriceID = "price_sales"
		return sold
	}
	if unfit, _ := errors.AsType[*Unfit](s.Sync(t.Context(), "sub_1")); unfit == nil || unfit.Reason != UnknownPrice {
		t.Fatalf("a price that sells nothing: %v", unfit)
	}
	s.gives("in_1", 7000)
	errtest.None(t, s.plans.Agree(t.Context(), "price_sales", "pro", 8000, time.Now()))
	s.apply()
	s.has(7000)
}

// TestWhatIsAgreedOnLaterGrantsNothingForWhatIsOver: a change to a price of the same plan, in a period whose credits have
// ended. Its refund takes nothing.
func TestWhatIsAgreedOnLaterGrantsNothingForWhatIsOver(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ended  time.Duration // ago
		grants int64
	}{"in the grace": {ledger.Grace - time.Hour, 2}, "after it": {ledger.Grace + time.Hour, 1}} {
		s := newShop(t)
		end := time.Now().Add(-tc.ended).Truncate(time.Second)
		start, middle := end.AddDate(0, -1, 0), end.AddDate(0, 0, -10)
		created := bill("in_1", "subscription_create", start, month("price_pro", start, end))
		raised := bill("in_2", "subscription_update", middle, prorated("price_pro", -1600, middle, end), prorated("price_pro_more", 3200, middle, end))
		errtest.None(t, s.plans.Agree(t.Context(), "price_pro_more", "pro", 8000, time.Now()))
		created.SubscriptionID, raised.SubscriptionID = "sub_1", "sub_1"
		s.api.paid = []stripe.Invoice{created, raised}
		s.apply()
		var grants int64
		if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM credit_grants WHERE user_id = $1", s.user).Scan(&grants); err != nil || grants != tc.grants {
			t.Errorf("%s: %d grants, %v, want %d", name, grants, err, tc.grants)
		}
		s.api.of, s.api.refund = "in_2", "succeeded"
		if err := s.Refunded(t.Context(), "ch_1"); err != nil {
			t.Errorf("%s: its refund: %v", name, err)
		}
	}
}

// TestAnInquiryTakesNothing: no money has moved yet.
func TestAnInquiryTakesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.pays()
	for _, status := range []string{"warning_needs_response", "warning_under_review", "warning_closed"} {
		s.api.dispute = status
		errtest.None(t, s.Disputed(t.Context(), "dp_1"))
	}
	s.apply()
	s.has(5000)
}

// TestADisputeThatIsPreventedTakesWhatItCosts: nothing where it is blocked, and all where the customer is paid back, which ends no
// subscription.
func TestADisputeThatIsPreventedTakesWhatItCosts(t *testing.T) {
	t.Parallel()
	for moved, left := range map[int64]int64{0: 5000, -2500: 0} {
		s := newShop(t)
		s.pays()
		s.api.dispute, s.api.moved = "prevented", moved
		for range 2 {
			errtest.None(t, s.Disputed(t.Context(), "dp_1"))
		}
		s.has(left)
		if s.api.cancelled != 0 {
			t.Errorf("%d moved: the subscription is cancelled", moved)
		}
	}
}

// TestARefundTakesNothingOfWhatAnotherInvoiceGave: who changes to the same plan a second time in a period is given nothing for it.
func TestARefundTakesNothingOfWhatAnotherInvoiceGave(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	start := time.Now().Truncate(time.Second)
	end := start.AddDate(0, 1, 0)
	up := func(id string, at time.Time) stripe.Invoice {
		return bill(id, "subscription_update", at, prorated("price_pro", -2400, at, end), prorated("price_business", 4800, at, end))
	}
	s.api.paid = []stripe.Invoice{
		bill("in_1", "subscription_create", start, month("price_pro", start, end)), up("in_2", start.Add(time.Hour)), up("in_3", start.Add(3*time.Hour)),
	}
	for i := range s.api.paid {
		s.api.paid[i].SubscriptionID = "sub_1"
	}
	s.apply()
	left := func(invoice string) (n int64) {
		err := s.pool.QueryRow(t.Context(), "SELECT coalesce(sum(amount - withdrawn - owed), 0) FROM credit_grants WHERE starts_with(reference, $1)", invoice+"/").Scan(&n)
		errtest.None(t, err)
		return n
	}
	gave := left("in_2")
	if gave == 0 || left("in_3") != 0 {
		t.Fatalf("the first change gave %d, the second %d", gave, left("in_3"))
	}
	s.api.of, s.api.refund = "in_3", "succeeded"
	errtest.None(t, s.Refunded(t.Context(), "ch_1"))
	if n := left("in_2"); n != gave {
		t.Errorf("the refund of the second change leaves %d of the first, want %d", n, gave)
	}
	s.api.of = "in_2" // the first one's own
	errtest.None(t, s.Refunded(t.Context(), "ch_1"))
	if n, want := left("in_2"), gave-share(gave, 500, 2500); n != want {
		t.Errorf("the refund of the first change leaves %d of it, want %d", n, want)
	}
}

// TestALostDisputeEndsASubscriptionThatIsOdd, and what is odd is still told. One that is somebody else's is left alone.
func TestALostDisputeEndsASubscriptionThatIsOdd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		odd       func(*stripe.Subscription)
		dispute   string
		cancelled int
		reason    string
	}{
		"as it is meant to be":    {func(*stripe.Subscription) {}, "lost", 1, ""},
		"of two items":            {func(sub *stripe.Subscription) { sub.Items = 2 }, "lost", 1, OddSubscription},
		"of two items, not lost":  {func(sub *stripe.Subscription) { sub.Items = 2 }, "under_review", 0, OddSubscription},
		"of somebody else":        {func(sub *stripe.Subscription) { sub.CustomerID = "cus_2" }, "lost", 0, UnknownCustomer},
		"of the other mode's key": {func(sub *stripe.Subscription) { sub.Live = true }, "lost", 0, WrongMode},
	} {
		s := newShop(t)
		s.pays()
		had := s.api.subscription
		s.api.subscription = func() stripe.Subscription {
			sold := had()
			tc.odd(&sold)
			return sold
		}
		s.api.dispute, s.api.cancel = tc.dispute, func() { s.status = "canceled" }
		err := s.Disputed(t.Context(), "dp_1")
		if unfit, _ := errors.AsType[*Unfit](err); tc.reason == "" && err != nil || tc.reason != "" && (unfit == nil || unfit.Reason != tc.reason) {
			t.Errorf("%s: %v, want %q", name, err, tc.reason)
		}
		if s.api.cancelled != tc.cancelled {
			t.Errorf("%s: cancelled %d times", name, s.api.cancelled)
		}
	}
}
