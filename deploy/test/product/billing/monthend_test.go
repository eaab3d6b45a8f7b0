package billing

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/csvfile"
)

// books are the sums of a month's file, such as "paid usd" and "paid Pro usd".
func (r *rig) books(month time.Time) map[string]string {
	r.Helper()
	out, err := r.command("month-end", month.Format("2006-01"))
	r.must(err)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(out, csvfile.ByteOrderMark))).ReadAll()
	r.must(err)
	sums, totals := map[string]string{}, map[string]int64{}
	for _, row := range rows[1:] {
		sums[strings.Join(strings.Fields(strings.Join(row[1:4], " ")), " ")] = row[5]
		if row[3] != "" {
			totals[row[1]+" "+row[3]] += hundredths(r, row[5])
		}
	}
	for name, total := range totals {
		sums[name] = dollars(total)
	}
	return sums
}

func hundredths(r *rig, text string) (n int64) {
	_, err := fmt.Sscan(strings.Replace(text, ".", "", 1), &n)
	r.must(err)
	return n
}

func dollars(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// firstOf is the beginning of a moment's month.
func firstOf(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// TestTheMonthAddsUpToWhatStripeHas, for a month and the next, whatever was sold and went back. Credits move by our own
// clock, and money by Stripe's.
func TestTheMonthAddsUpToWhatStripeHas(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	began := firstOf(time.Now().UTC())
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	now, err := r.stripe.Now(t.Context())
	r.must(err)
	this := firstOf(now)
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_storage", Product: "prod_storage", Amount: 900, Currency: "eur", Interval: "month"}))
	customer, err := r.client().V1Customers.Create(t.Context(), &sdk.CustomerCreateParams{Email: sdk.String("somebody@fledge.test")})
	r.must(err)
	_, err = r.stripe.Subscribe(t.Context(), customer.ID, "price_storage", 1, stripe.CardWorks)
	r.must(err)
	stays, changes, disputes := r.person(), r.person(), r.person()
	stays.subscribe()
	r.plan(changes.subscribe(), stripe.BusinessPrice)
	disputes.subscribe()
	stays.refund(stays.charges()[0], 500)
	changes.refund(changes.chargeOf(changes.buyPack(stripe.CardWorks)), 600)
	stays.spend(125)
	// A payment of another product that no invoice asked for.
	link, err := r.client().V1CheckoutSessions.Create(t.Context(), &sdk.CheckoutSessionCreateParams{
		Mode: sdk.String("payment"), Customer: sdk.String(customer.ID), SuccessURL: sdk.String(profile),
		LineItems: []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(stripe.PackPrice), Quantity: sdk.Int64(1)}},
	})
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), link.ID, stripe.CardWorks))
	link, err = r.client().V1CheckoutSessions.Retrieve(t.Context(), link.ID, nil)
	r.must(err)
	_, err = r.client().V1Refunds.Create(t.Context(), &sdk.RefundCreateParams{PaymentIntent: sdk.String(link.PaymentIntent.ID)})
	r.must(err)
	dispute, err := r.stripe.Dispute(t.Context(), disputes.charges()[0])
	r.must(err)
	r.must(r.stripe.CloseDispute(t.Context(), dispute, false))
	disputes.is("", "", 0)
	r.month()
	r.settled()

	paid := map[string]int64{} // by month and currency
	for c, err := range r.client().V1Charges.List(t.Context(), nil).All(t.Context()) {
		r.must(err)
		if c.PaymentIntent.ID == link.PaymentIntent.ID {
			continue
		}
		paid[time.Unix(c.Created, 0).UTC().Format("2006-01 ")+string(c.Currency)] += c.Amount
	}
	if len(paid) < 4 {
		t.Fatalf("Stripe has taken %v", paid)
	}
	for _, month := range []time.Time{this, this.AddDate(0, 1, 0)} {
		books := r.books(month)
		for _, currency := range []string{"usd", "eur"} {
			if got, want := books["paid "+currency], dollars(paid[month.Format("2006-01 ")+currency]); got != want {
				t.Errorf("%s: %s %s were paid, and Stripe has taken %s", month.Format("2006-01"), got, currency, want)
			}
		}
	}
	books := r.books(this)
	for what, want := range map[string]string{
		"paid Other eur": "9.00", "refunded Pro usd": "5.00", "disputed Pro usd": "25.00", "dispute won": "", "paid Extra credits usd": "12.00", "refunded Extra credits usd": "6.00",
		"refunded Other usd": "",
	} {
		if books[what] != want {
			t.Errorf("%s: %q, want %q", what, books[what], want)
		}
	}
	moved := map[string]int64{}
	for month := began; !month.After(time.Now()); month = month.AddDate(0, 1, 0) {
		for what, sum := range r.books(month) {
			if strings.HasPrefix(what, "credits ") {
				moved[what] += hundredths(r, sum)
			}
		}
	}
	if moved["credits spent"] != 125 || moved["credits taken back"] != 7000 {
		t.Errorf("credits have moved by %v", moved)
	}
	if _, err := r.command("month-end", "2026-13"); err == nil {
		t.Error("2026-13 is a month")
	}
}
