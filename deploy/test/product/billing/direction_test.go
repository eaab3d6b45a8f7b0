package billing

import (
	"net/url"
	"slices"
	"testing"

	"fledge.dev/deploy/standins/stripe"
)

// TestAChangeGoesTheWayOfWhatIsPaid, and not of the list of plans: what the site is told, where the order
// leads and what Stripe does are one.
func TestAChangeGoesTheWayOfWhatIsPaid(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	if _, err := r.command("set-price", "price_acme", "enterprise", "2000"); err == nil {
		t.Error("a price was agreed on that Stripe does not have")
	}
	for _, tc := range []struct {
		price                  stripe.Price
		agreed, plan           string
		credits                int64
		wanted, wantedPrice    string
		wantedPlan, wantedName string
		later                  bool
	}{
		{
			stripe.Price{ID: "price_pro_60", Product: stripe.ProProduct, Amount: 6000}, "", "pro", 5000,
			stripe.BusinessProduct, stripe.BusinessPrice, "business", "Business", true,
		},
		{
			stripe.Price{ID: "price_business_20", Product: stripe.BusinessProduct, Amount: 2000}, "", "business", 10000,
			stripe.ProProduct, stripe.ProPrice, "pro", "Pro", false,
		},
		{
			stripe.Price{ID: "price_acme", Product: "prod_acme", Amount: 200000}, "2000", "enterprise", 200000,
			stripe.ProProduct, stripe.ProPrice, "pro", "Pro", true,
		},
		{
			stripe.Price{ID: "price_pro_quarter", Product: stripe.ProProduct, Amount: 2400, Count: 3}, "", "pro", 15000,
			stripe.ProProduct, stripe.ProPrice, "pro", "Pro", true,
		},
	} {
		tc.price.Currency, tc.price.Interval = "usd", "month"
		r.must(r.stripe.PutPrice(t.Context(), tc.price))
		if tc.agreed != "" {
			_, err := r.command("set-price", tc.price.ID, tc.plan, tc.agreed)
			r.must(err)
		}
		p := r.person()
		_, err := p.order(stripe.ProProduct, stripe.ProPrice) // makes the customer
		r.must(err)
		customer := r.text(`SELECT customer_id FROM customers WHERE user_id = $1`, p.id)
		id, err := r.stripe.Subscribe(t.Context(), customer, tc.price.ID, 1, stripe.CardWorks)
		r.must(err)
		p.is("active", tc.plan, tc.credits)

		has := p.has()
		if told := slices.Contains(has.GetLaterPriceIds(), tc.wantedPrice); told != tc.later || has.GetPeriodCredits() != tc.credits || has.GetIntervalCount() != max(int32(tc.price.Count), 1) {
			t.Errorf("%s: the site is told %v", tc.price.ID, has)
		}
		page, err := p.order(tc.wanted, tc.wantedPrice)
		r.must(err)
		to := r.press(page.GetUrl()+"/change", url.Values{"subscription": {id}, "price": {tc.wantedPrice}})
		if back := map[bool]string{true: profile, false: profile + "?success=true"}[tc.later]; to != back {
			t.Errorf("%s: confirming leads to %q, want %q", tc.price.ID, to, back)
		}
		r.settled()
		if tc.later {
			p.is("active", tc.plan, tc.credits)
			if change := p.has().GetChange(); change.GetPlan() != tc.wantedName {
				t.Errorf("%s: what waits is %v", tc.price.ID, change)
			}
			continue
		}
		p.is("active", tc.wantedPlan, tc.credits) // what was paid for stays
	}
	r.nothingParked()
}
