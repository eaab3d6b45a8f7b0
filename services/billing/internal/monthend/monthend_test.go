package monthend

import (
	"context"
	"errors"
	"slices"
	"testing"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/errtest"
)

// payments answers what a payment was for.
type payments struct {
	Stripe
	invoices []stripe.Invoice
	err      error
}

func (p payments) CheckoutOfPayment(context.Context, string) (stripe.Checkout, bool, error) {
	return stripe.Checkout{}, false, nil
}

func (p payments) InvoicesOfPayment(context.Context, string) ([]stripe.Invoice, error) {
	return p.invoices, p.err
}

// TestWhatWentBackIsLeftOut only where Stripe says that its payment has paid no invoice.
func TestWhatWentBackIsLeftOut(t *testing.T) {
	t.Parallel()
	pro := plan.Plan{ID: "pro", Name: "Pro", Offer: plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}}
	invoice := stripe.Invoice{Lines: []stripe.Line{{PriceID: "price_pro", Amount: 2500}}}
	away := errors.New("away")
	for name, tc := range map[string]struct {
		intent string
		stripe payments
		want   string
		err    error
	}{
		"of a plan":           {"pi_1", payments{invoices: []stripe.Invoice{invoice}}, "Pro", nil},
		"of two invoices":     {"pi_1", payments{invoices: []stripe.Invoice{invoice, invoice}}, other, nil},
		"of no invoice":       {"pi_1", payments{}, "", nil},
		"without an intent":   {"", payments{}, other, nil},
		"that Stripe forgets": {"pi_1", payments{err: stripe.ErrGone}, other, nil},
		"in an outage":        {"pi_1", payments{err: away}, "", away},
	} {
		m := month{reporter: &Reporter{stripe: tc.stripe}, prices: plan.NewPrices([]plan.Plan{pro})}
		if got, err := m.soldBy(t.Context(), tc.intent); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tc.want)
		}
	}
}

// TestOnlyADisputeThatIsWonIsWon: one that was prevented has cost the customer's money, or nothing at all.
func TestOnlyADisputeThatIsWonIsWon(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		dispute stripe.Dispute
		want    []string
	}{
		"lost":        {stripe.Dispute{Status: "lost", Moved: -2500}, []string{"disputed"}},
		"won":         {stripe.Dispute{Status: "won"}, []string{"disputed", "dispute won"}},
		"asked about": {stripe.Dispute{Status: "warning_closed"}, nil},
		"blocked":     {stripe.Dispute{Status: "prevented"}, nil},
		"settled":     {stripe.Dispute{Status: "prevented", Moved: -2500}, []string{"disputed"}},
	} {
		m := month{reporter: &Reporter{stripe: payments{invoices: []stripe.Invoice{{}}}}, sums: map[Row]Row{}, plans: map[string]string{}}
		tc.dispute.IntentID, tc.dispute.Amount, tc.dispute.Currency = "pi_1", 2500, "usd"
		errtest.None(t, m.dispute(t.Context(), tc.dispute))
		var got []string
		for _, row := range m.rows() {
			if got = append(got, row.What); row.Amount != 2500 || row.Plan != other {
				t.Errorf("%s: %+v", name, row)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
