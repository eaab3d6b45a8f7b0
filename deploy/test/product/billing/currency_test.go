package billing

import (
	"testing"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

// TestCurrenciesWithoutHundredths: what sales has agreed on in yen, and a pack in Kuwaiti dinars, of which Stripe counts
// thousandths, are granted, due, taken back and booked like dollars: everybody is told hundredths.
func TestCurrenciesWithoutHundredths(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_yen", Product: "prod_acme", Amount: 300_000, Currency: "jpy", Interval: "month"}))
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: stripe.PackPrice, Product: stripe.PackProduct, Amount: 3690, Currency: "kwd"}))
	if _, err := r.command("set-price", "price_yen", "enterprise", "2000"); err != nil {
		t.Fatal(err)
	}
	_, err := r.command("check-stripe") // which reads what the pack costs
	r.must(err)
	p := r.person()
	id := p.subscribesAt("price_yen")
	p.is("active", "enterprise", 200_000)
	p.refund(p.charges()[0], 150_000)
	p.is("active", "enterprise", 100_000)
	pack := p.buyPack(stripe.CardWorks)
	p.is("active", "enterprise", 100_000+packCredits)
	p.refund(p.chargeOf(pack), 1845)
	p.is("active", "enterprise", 100_000+packCredits/2)
	list, err := r.serving[0].ListPlans(p.ctx, &billingv1.ListPlansRequest{})
	r.must(err)
	if price := list.GetPacks()[0].GetPrice(); price.GetAmount() != 369 || price.GetCurrency() != "kwd" {
		t.Errorf("the pack costs %v", price)
	}
	now, err := r.stripe.Now(t.Context())
	r.must(err)
	books := r.books(firstOf(now))
	for what, want := range map[string]string{
		"paid Enterprise jpy": "300000.00", "refunded Enterprise jpy": "150000.00", "paid Extra credits kwd": "3.69", "refunded Extra credits kwd": "1.85",
	} {
		if books[what] != want {
			t.Errorf("%s: %s, want %s", what, books[what], want)
		}
	}
	r.must(r.stripe.FailPayments(t.Context(), id, -1))
	r.month()
	r.settled()
	if due := p.owes(); due.GetAmount() != 300_000_00 || due.GetCurrency() != "jpy" {
		t.Errorf("%v is due", due)
	}
	r.nothingParked()
}
