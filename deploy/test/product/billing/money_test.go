package billing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/errtest"

	"fledge.dev/deploy/standins/stripe"
)

// charges are what a person was charged, the latest first.
func (p *person) charges() (ids []string) {
	p.Helper()
	customer := p.text(`SELECT customer_id FROM customers WHERE user_id = $1`, p.id)
	for c, err := range p.client().V1Charges.List(p.Context(), &sdk.ChargeListParams{Customer: sdk.String(customer)}).All(p.Context()) {
		p.must(err)
		ids = append(ids, c.ID)
	}
	return ids
}

func (p *person) refund(charge string, amount int64) {
	p.Helper()
	_, err := p.client().V1Refunds.Create(p.Context(), &sdk.RefundCreateParams{Charge: sdk.String(charge), Amount: sdk.Int64(amount)})
	p.must(err)
}

func (p *person) spend(amount int64) {
	p.Helper()
	_, err := p.serving[0].ConsumeCredits(p.ctx, &billingv1.ConsumeCreditsRequest{Amount: amount, Description: "Screen", IdempotencyKey: fmt.Sprint(time.Now())})
	p.must(err)
}

// hears has Stripe tell of an object once more, in an event of its own.
func (r *rig) hears(kind, object string) {
	r.Helper()
	now := time.Now()
	body := fmt.Sprintf(`{"id":"evt_%d","object":"event","type":%q,"livemode":false,"created":%d,"data":{"object":{"id":%q}}}`, now.UnixNano(), kind, now.Unix(), object)
	if got := r.deliver(body, stripe.WebhookSecret, now); got != "" {
		r.Errorf("%s: %s", kind, got)
	}
	r.settled()
}

// metric is a counter's value, all its labels together.
func (i *instance) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	return i.metricOf(t, name, "")
}

// metricOf is metric for those with the value in a label; "" are all.
func (i *instance) metricOf(t *testing.T, name, label string) (sum float64) {
	t.Helper()
	families, err := i.rt.Metrics.Gather()
	errtest.None(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			of := label == "" || slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetValue() == label })
			if family.GetName() == name && of {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// entries are the kinds and amounts of what happened to a person's credits.
func (p *person) entries() string {
	p.Helper()
	return p.text(`SELECT string_agg(kind || ' ' || amount, ', ' ORDER BY number) FROM credit_entries WHERE user_id = $1`, p.id)
}

func TestRefundsInPiecesTakeTheirCreditsAlong(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	charge := p.charges()[0]
	p.refund(charge, 500)
	p.is("active", "pro", 4000)
	p.refund(charge, 250)
	p.is("active", "pro", 3500)
	r.hears("charge.refunded", charge)
	p.is("active", "pro", 3500)
	p.spend(3000)
	p.refund(charge, 1750) // the rest, of which most is spent
	p.is("active", "pro", 0)
	r.hears("charge.refunded", charge)
	if got, want := p.entries(), "grant 5000, clawback -1000, clawback -500, consume -3000, clawback -500"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	if owed := r.count(`SELECT owed FROM credit_grants WHERE user_id = $1`, p.id); owed != 3000 {
		t.Errorf("%d are on record as owed, want 3000", owed)
	}
	if missing := r.serving[0].metric(t, "billing_credits_clawback_missing_total"); missing != 30 {
		t.Errorf("the metric tells of %v credits, want 30", missing)
	}
	r.month() // the next month is paid for and whole
	p.is("active", "pro", 5000)
}

func TestAPendingRefundTakesItsCreditsWhenItSucceeds(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	refund, err := r.stripe.PendRefund(t.Context(), p.charges()[0], 500)
	r.must(err)
	r.settled()
	p.is("active", "pro", 5000) // the money is still on its way
	r.must(r.stripe.FinishRefund(t.Context(), refund))
	p.is("active", "pro", 4000)
	r.hears("refund.updated", refund)
	if got, want := p.entries(), "grant 5000, clawback -1000"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
}

// TestARefundThatFailsGivesItsCreditsBack, a succeeded one too, in this period and after.
func TestARefundThatFailsGivesItsCreditsBack(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	charge := p.charges()[0]
	refunds := func() (id string) {
		for f, err := range r.client().V1Refunds.List(t.Context(), &sdk.RefundListParams{Charge: sdk.String(charge)}).All(t.Context()) {
			r.must(err)
			return f.ID // the latest
		}
		return ""
	}
	p.refund(charge, 500)
	p.is("active", "pro", 4000)
	first := refunds()
	r.must(r.stripe.FailRefund(t.Context(), first))
	p.is("active", "pro", 5000)
	for _, kind := range []string{"refund.failed", "refund.updated"} {
		r.hears(kind, first)
	}
	r.hears("charge.refunded", charge)
	p.is("active", "pro", 5000)

	p.refund(charge, 2500) // to another card, all of it
	p.is("active", "pro", 0)
	second := refunds()
	r.month()
	p.is("active", "pro", 5000)
	r.must(r.stripe.FailRefund(t.Context(), second))
	p.is("active", "pro", 10000)
	r.settled()
	r.hears("refund.failed", second)
	p.is("active", "pro", 10000)
	pending, err := r.stripe.PendRefund(t.Context(), charge, 500)
	r.must(err)
	r.must(r.stripe.FailRefund(t.Context(), pending))
	r.settled()
	if got, want := p.entries(), "grant 5000, clawback -1000, adjust 1000, clawback -5000, grant 5000, adjust 5000"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}

// TestADisputeTakesWhatIsLeftAtItsBeginning and gives it back when it is won.
func TestADisputeTakesWhatIsLeftAtItsBeginning(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	loser, winner := r.person(), r.person()
	loser.subscribe()
	winner.subscribe()
	loser.refund(loser.charges()[0], 500)
	loser.is("active", "pro", 4000)
	for p, won := range map[*person]bool{loser: false, winner: true} {
		dispute, err := r.stripe.Dispute(t.Context(), p.charges()[0])
		r.must(err)
		r.settled()
		p.is("active", "pro", 0) // the bank has the money
		r.must(r.stripe.CloseDispute(t.Context(), dispute, won))
		r.settled()
		for _, kind := range []string{"charge.dispute.closed", "charge.dispute.closed", "charge.dispute.created"} {
			r.hears(kind, dispute)
		}
		if won {
			p.is("active", "pro", 5000)
		} else {
			p.is("", "", 0) // it has ended
		}
	}
	if got, want := loser.entries(), "grant 5000, clawback -1000, clawback -4000"; got != want {
		t.Errorf("lost: %s, want %s", got, want)
	}
	if got, want := winner.entries(), "grant 5000, clawback -5000, adjust 5000"; got != want {
		t.Errorf("won: %s, want %s", got, want)
	}
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}

// TestTheCreditsOfADisputeFollowIt, which its bank turns round after it was closed.
func TestTheCreditsOfADisputeFollowIt(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	dispute, err := r.stripe.Dispute(t.Context(), p.charges()[0])
	r.must(err)
	for _, won := range []bool{false, true, false, true} {
		r.must(r.stripe.CloseDispute(t.Context(), dispute, won))
		r.settled()
		for _, kind := range []string{"charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated", "charge.dispute.closed"} {
			r.hears(kind, dispute)
		}
		p.is("", "", map[bool]int64{false: 0, true: 5000}[won]) // the first has ended the subscription
	}
	if got, want := p.entries(), "grant 5000, clawback -5000, adjust 5000, clawback -5000, adjust 5000"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
}

// TestOnlyWhatWasRefundedGoes: of an upgrade its difference, of a month its own.
func TestOnlyWhatWasRefundedGoes(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	id := p.subscribe()
	r.plan(id, stripe.BusinessPrice)
	p.is("active", "business", 10000)
	charges := p.charges()
	if len(charges) != 2 {
		t.Fatalf("charges %v", charges)
	}
	c, err := r.client().V1Charges.Retrieve(t.Context(), charges[0], nil)
	r.must(err)
	p.refund(c.ID, c.Amount)
	p.is("active", "business", 5000)
	p.refund(charges[1], 2500)
	p.is("active", "business", 0)
	r.must(r.stripe.Advance(t.Context(), 1, 2*time.Hour))
	p.is("active", "business", 10000)
}

// rise is what the latest upgrade of a subscription gives: of 50 credits the share of
// the period that was left.
func (r *rig) rise(id string) int64 {
	r.Helper()
	for i, err := range r.client().V1Invoices.List(r.Context(), &sdk.InvoiceListParams{Subscription: sdk.String(id)}).All(r.Context()) {
		r.must(err)
		if l := i.Lines.Data[0]; i.BillingReason == sdk.InvoiceBillingReasonSubscriptionUpdate {
			s, err := r.client().V1Subscriptions.Retrieve(r.Context(), id, nil)
			r.must(err)
			item := s.Items.Data[0]
			length := item.CurrentPeriodEnd - item.CurrentPeriodStart
			return (5000*(l.Period.End-l.Period.Start) + length - 1) / length
		}
	}
	r.Fatal("there was no upgrade")
	return 0
}

// TestAnUpgradeInTheLastHourGivesWhatItCosts, month after month.
func TestAnUpgradeInTheLastHourGivesWhatItCosts(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	id := p.subscribe()
	for range 2 {
		s, err := r.client().V1Subscriptions.Retrieve(t.Context(), id, nil)
		r.must(err)
		now, err := r.stripe.Now(t.Context())
		r.must(err)
		r.must(r.stripe.Advance(t.Context(), 0, time.Unix(s.Items.Data[0].CurrentPeriodEnd, 0).Sub(now)-time.Hour))
		r.plan(id, stripe.BusinessPrice)
		gain := r.rise(id)
		if gain < 1 || gain > 10 {
			t.Fatalf("an hour of Business is worth %d hundredths", gain)
		}
		p.is("active", "business", 5000+gain)
		r.plan(id, stripe.ProPrice)
		p.is("active", "pro", 5000+gain)
		r.must(r.stripe.Advance(t.Context(), 0, 3*time.Hour))
		p.is("active", "pro", 5000)
	}
}

// TestAnUpgradeThatCostsNothingGivesItsCreditsOnce: in the last moments of a period
// there is nothing to pay, and the plan is the dearer one all the same.
func TestAnUpgradeThatCostsNothingGivesItsCreditsOnce(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	id := p.subscribe()
	s, err := r.client().V1Subscriptions.Retrieve(t.Context(), id, nil)
	r.must(err)
	now, err := r.stripe.Now(t.Context())
	r.must(err)
	r.must(r.stripe.Advance(t.Context(), 0, time.Unix(s.Items.Data[0].CurrentPeriodEnd, 0).Sub(now)-2*time.Minute))
	r.plan(id, stripe.BusinessPrice)
	p.is("active", "business", 5001)
	r.settled()
	updated := r.text(`SELECT split_part(reference, '/', 1) FROM credit_grants WHERE fact LIKE '%/upgrade:business'`)
	invoice, err := r.client().V1Invoices.Retrieve(t.Context(), updated, nil)
	r.must(err)
	if invoice.AmountPaid != 0 || invoice.Lines.Data[0].Amount != 0 || invoice.Status != sdk.InvoiceStatusPaid {
		t.Fatalf("%d was paid for %d, %s", invoice.AmountPaid, invoice.Lines.Data[0].Amount, invoice.Status)
	}
	r.plan(id, stripe.ProPrice)
	p.is("active", "pro", 5001)
	r.plan(id, stripe.BusinessPrice)
	p.is("active", "business", 5001)
	for range 2 {
		r.hears("invoice.paid", updated)
	}
	if got, want := p.entries(), "grant 5000, grant 1"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}

// TestADiscountOfAllGivesTheWholePlan, and of an upgrade its share.
func TestADiscountOfAllGivesTheWholePlan(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.Discount(t.Context(), id, 100))
	r.month()
	p.is("active", "pro", 5000)
	r.plan(id, stripe.BusinessPrice)
	p.is("active", "business", 5000+r.rise(id))
	r.month()
	p.is("active", "business", 10000)
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}
