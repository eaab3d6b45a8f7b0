package subscription

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/errtest"
)

func (s *scripted) Checkout(context.Context, string) (stripe.Checkout, error) { return s.sold, nil }

// TestAPackOfAnErasedAccountIsToldUnlessItWasPaidBefore, each time that somebody asks. Of one that says not when it was
// paid, as where Stripe makes no invoice of it, it is told unless it has given its credits.
func TestAPackOfAnErasedAccountIsToldUnlessItWasPaidBefore(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		paid  time.Duration // after the erasure
		knows bool
		given bool
		told  bool
	}{
		"paid later":                       {paid: time.Minute, knows: true, told: true},
		"paid before":                      {paid: -time.Minute, knows: true},
		"paid at a time that nobody knows": {told: true},
		"paid at a time that nobody knows, and given": {given: true},
	} {
		s := newShop(t)
		erased := time.Now().Truncate(time.Second)
		s.api.sold = stripe.Checkout{ID: "cs_1", CustomerID: "cus_1", UserID: s.user.String(), Credits: 1000, Paid: true, Amount: 1200, Currency: "usd"}
		if tc.knows {
			s.api.sold.PaidAt = erased.Add(tc.paid)
		}
		if tc.given {
			errtest.None(t, s.SyncPack(t.Context(), "cs_1"))
			s.has(1000)
		}
		s.stands(store.Erased, erased)
		for range 2 {
			err := s.SyncPack(t.Context(), "cs_1")
			unfit, _ := errors.AsType[*Unfit](err)
			if told := unfit != nil && unfit.Reason == ErasedAccount && unfit.Object == "cs_1"; told != tc.told || !told && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if given, err := s.PackGiven(t.Context(), "cs_1"); err != nil || given != tc.given {
			t.Errorf("%s: it has given credits: %t, %v", name, given, err)
		}
	}
}

// TestAPackThatWasPaidByALinkIsTold, since nobody knows whose it is; what else is paid in a page of Stripe's is none of ours.
func TestAPackThatWasPaidByALinkIsTold(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for name, tc := range map[string]struct {
		sold   stripe.Checkout
		reason string
	}{
		"by a guest":      {stripe.Checkout{Paid: true, PriceIDs: []string{"price_shirt", "price_pack"}}, UnknownCustomer},
		"by our customer": {stripe.Checkout{Paid: true, PriceIDs: []string{"price_pack"}, CustomerID: "cus_1"}, UnknownCustomer},
		"not paid":        {stripe.Checkout{PriceIDs: []string{"price_pack"}}, ""},
		"something else":  {stripe.Checkout{Paid: true, PriceIDs: []string{"price_shirt"}}, ""},
	} {
		s.api.sold = tc.sold
		s.api.sold.ID = "cs_1"
		err := s.SyncPack(t.Context(), "cs_1")
		unfit, ok := errors.AsType[*Unfit](err)
		if ok != (tc.reason != "") || ok && (unfit.Reason != tc.reason || unfit.Object != "cs_1") || !ok && !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.has(0)
}

// TestAPackLastsForNoLessThanAYear, from every day of the calendar.
func TestAPackLastsForNoLessThanAYear(t *testing.T) {
	t.Parallel()
	for bought, want := range map[string]string{"2027-01-31": "2028-01-31", "2027-02-28": "2028-02-28", "2028-02-29": "2029-03-01", "2028-12-31": "2029-12-31"} {
		day, err := time.Parse(time.DateOnly, bought)
		errtest.None(t, err)
		if g := packGrant(uuid.New(), stripe.Checkout{ID: "cs_1"}, day); g.ExpiresAt.Format(time.DateOnly) != want || !g.PeriodEnd.Equal(g.ExpiresAt) {
			t.Errorf("one of %s lasts until %s and can be spent until %s, want %s", bought, g.PeriodEnd, g.ExpiresAt, want)
		}
	}
}
