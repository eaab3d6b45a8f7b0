package stripe_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// everything makes the stand-in send each of its events at least once.
func (r *rig) everything() {
	r.Helper()
	ctx := r.Context()
	o := r.objects() // created, updated, paid, failed, refunded, disputed
	paused, err := r.Subscribe(ctx, o.Customer, o.Price, 1, stripe.CardWorks)
	r.must(err)
	r.must(r.Pause(ctx, paused))
	r.must(r.Resume(ctx, paused))
	r.must(r.CloseDispute(ctx, o.Dispute, false))
	refund, err := r.PendRefund(ctx, o.Charge, 50)
	r.must(err)
	r.must(r.FinishRefund(ctx, refund))
	r.must(r.FailRefund(ctx, refund))
	_, err = r.sc.V1Subscriptions.Cancel(ctx, paused, nil)
	r.must(err)
	r.must(r.Credit(ctx, o.UnpaidInvoice, 100))
	_, err = r.sc.V1Invoices.VoidInvoice(ctx, o.UnpaidInvoice, nil)
	r.must(err)
	_, err = r.sc.V1Invoices.MarkUncollectible(ctx, r.unpaidInvoice(r.customer()), nil)
	r.must(err)
	_, err = r.sc.V1Customers.Delete(ctx, o.Leaving, nil)
	r.must(err)
	for _, bank := range []string{stripe.DebitWorks, stripe.DebitFails} {
		r.must(r.PayCheckout(ctx, r.checkout(r.customer(), stripe.ProPrice).ID, bank))
	}
	r.must(r.Advance(ctx, 1, 2*time.Hour))
}

// decoders decode an event's object into its type in the SDK and return its id.
var decoders = map[string]func(json.RawMessage) (string, error){
	"checkout.session.": decode(func(s *sdk.CheckoutSession) bool {
		bought := s.Subscription != nil && s.Subscription.ID != ""
		if s.Mode == sdk.CheckoutSessionModePayment {
			bought = s.Subscription == nil && s.PaymentIntent != nil && s.PaymentIntent.ID != ""
		}
		return s.Status == sdk.CheckoutSessionStatusComplete && bought && s.Customer.ID != ""
	}, func(s *sdk.CheckoutSession) string { return s.ID }),
	"customer.subscription.": decode(func(s *sdk.Subscription) bool {
		item := s.Items.Data[0]
		return item.CurrentPeriodEnd > item.CurrentPeriodStart && item.Price.ID != "" && s.Customer.ID != "" && s.LatestInvoice.ID != ""
	}, func(s *sdk.Subscription) string { return s.ID }),
	"customer.deleted": decode(func(c *sdk.Customer) bool { return c.Email != "" && !c.Deleted }, func(c *sdk.Customer) string { return c.ID }),
	"invoice.": decode(func(i *sdk.Invoice) bool {
		line := i.Lines.Data[0]
		return i.Parent.SubscriptionDetails.Subscription.ID != "" && line.Pricing.PriceDetails.Price.ID != "" &&
			line.Period.End > line.Period.Start && line.Parent.SubscriptionItemDetails.SubscriptionItem != "" && i.BillingReason != ""
	}, func(i *sdk.Invoice) string { return i.ID }),
	"charge.refunded": decode(func(c *sdk.Charge) bool {
		return c.AmountRefunded > 0 && c.PaymentIntent.ID != ""
	}, func(c *sdk.Charge) string { return c.ID }),
	"refund.updated": decode(func(f *sdk.Refund) bool {
		return f.Charge.ID != "" && (f.Status == sdk.RefundStatusSucceeded || f.Status == sdk.RefundStatusFailed)
	}, func(f *sdk.Refund) string { return f.ID }),
	"refund.failed": decode(func(f *sdk.Refund) bool {
		return f.Charge.ID != "" && f.Status == sdk.RefundStatusFailed && f.FailureReason != ""
	}, func(f *sdk.Refund) string { return f.ID }),
	"radar.early_fraud_warning.": decode(func(w *sdk.RadarEarlyFraudWarning) bool {
		return w.Charge.ID != "" && w.PaymentIntent.ID != "" && w.FraudType != ""
	}, func(w *sdk.RadarEarlyFraudWarning) string { return w.ID }),
	"charge.dispute.": decode(func(d *sdk.Dispute) bool {
		return d.Charge.ID != "" && d.PaymentIntent.ID != "" && d.Amount > 0
	}, func(d *sdk.Dispute) string { return d.ID }),
}

func decode[T any](complete func(*T) bool, id func(*T) string) func(json.RawMessage) (string, error) {
	return func(raw json.RawMessage) (string, error) {
		var object T
		if err := json.Unmarshal(raw, &object); err != nil || !complete(&object) {
			return "", err
		}
		return id(&object), nil
	}
}

func TestEveryEventIsWhatStripesSDKExpects(t *testing.T) {
	in := receive(t, always(http.StatusOK))
	r := start(t, func(o *stripe.Options) { o.WebhookURL = in.url })
	spec := loadSpec(t)
	r.everything()
	waittest.Eventually(t, "all events are delivered", func() bool { return r.Deliveries().Pending == 0 })

	seen := map[string]bool{}
	for _, d := range in.all() {
		event, err := webhook.ConstructEvent(d.body, d.signature, stripe.WebhookSecret)
		if err != nil {
			t.Fatalf("%v: %s", err, d.body)
		}
		if event.Livemode || event.APIVersion != sdk.APIVersion || event.Created == 0 || event.Object != "event" {
			t.Errorf("%+v", event)
		}
		var whole, object map[string]any
		errtest.None(t, json.Unmarshal(d.body, &whole))
		object = whole["data"].(map[string]any)["object"].(map[string]any)
		if !seen[string(event.Type)] {
			spec.check(t, whole)
			spec.check(t, object)
			checkSDK(t, whole)
		}
		seen[string(event.Type)] = true
		for prefix, decode := range decoders {
			if len(event.Type) < len(prefix) || string(event.Type)[:len(prefix)] != prefix {
				continue
			}
			if id, err := decode(event.Data.Raw); err != nil || id == "" || id != object["id"] {
				t.Errorf("%s: %v, %s", event.Type, err, event.Data.Raw)
			}
		}
	}
	for _, kind := range account.EventTypes() {
		if !seen[kind] {
			t.Errorf("no %s was sent", kind)
		}
	}
}

func TestEventsComeInOrderAndOnce(t *testing.T) {
	in := receive(t, always(http.StatusNoContent))
	r := start(t, func(o *stripe.Options) { o.WebhookURL = in.url })
	r.everything()
	waittest.Eventually(t, "all events are delivered", func() bool { return r.Deliveries().Pending == 0 })

	var want []string
	for event, err := range r.sc.V1Events.List(t.Context(), &sdk.EventListParams{ListParams: sdk.ListParams{Limit: sdk.Int64(100)}}).All(t.Context()) {
		r.must(err)
		want = append(want, event.ID)
	}
	slices.Reverse(want)
	if got := ids(t, in.all()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func ids(t *testing.T, all []delivered) (out []string) {
	t.Helper()
	for _, d := range all {
		var event struct{ ID string }
		errtest.None(t, json.Unmarshal(d.body, &event))
		out = append(out, event.ID)
	}
	return out
}

func TestDeliveriesAreRepeatedUntilTheyAreAcknowledged(t *testing.T) {
	in := receive(t, func(n int) int {
		if n <= 3 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	r := start(t, func(o *stripe.Options) { o.WebhookURL = in.url })
	_, err := r.Subscribe(t.Context(), r.customer(), stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	waittest.Eventually(t, "all events are delivered", func() bool { return r.Deliveries().Pending == 0 })
	if got := r.Deliveries(); got.Sent != 7 || got.Delivered != 4 {
		t.Errorf("%+v, want 4 events in 7 attempts", got)
	}
	seen := map[string]bool{}
	for _, id := range ids(t, in.all()[3:]) {
		seen[id] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d events were acknowledged", len(seen))
	}
}

func TestPoliciesShuffleCopyDropAndDelay(t *testing.T) {
	in := receive(t, always(http.StatusOK))
	r := start(t, func(o *stripe.Options) { o.WebhookURL = in.url })
	r.must(r.SetDelivery(stripe.Delivery{Held: true, Copies: 7, Seed: 1}))
	r.everything()
	waiting := r.Deliveries().Pending
	if len(in.all()) != 0 || waiting == 0 {
		t.Fatalf("%d were sent while held", len(in.all()))
	}
	r.must(r.SetDelivery(stripe.Delivery{Shuffled: true, Parallel: 4, Seed: 2}))
	waittest.Eventually(t, "what was held is delivered", func() bool { return r.Deliveries().Pending == 0 })
	got := ids(t, in.all())
	unique := slices.Compact(slices.Sorted(slices.Values(got)))
	if len(got) != waiting || len(got) < 2*len(unique) || len(got) > 7*len(unique) {
		t.Errorf("%d deliveries of %d events", len(got), len(unique))
	}

	r.must(r.SetDelivery(stripe.Delivery{Drop: 1}))
	before := len(in.all())
	r.checkoutAndPay()
	if s := r.Deliveries(); s.Dropped != 5 || s.Pending != 0 || len(in.all()) != before {
		t.Errorf("%+v, want 5 dropped", s)
	}

	r.must(r.SetDelivery(stripe.Delivery{DelayMillis: 50}))
	r.checkoutAndPay()
	waittest.Eventually(t, "what was delayed is delivered", func() bool { return len(in.all()) == before+5 })

	if err := r.SetDelivery(stripe.Delivery{Sign: "else"}); err == nil {
		t.Error("an unknown secret was accepted")
	}
}

func (r *rig) checkoutAndPay() {
	r.Helper()
	r.must(r.PayCheckout(r.Context(), r.checkout(r.customer(), stripe.ProPrice).ID, stripe.CardWorks))
}

func TestSecretsRotate(t *testing.T) {
	in := receive(t, always(http.StatusOK))
	r := start(t, func(o *stripe.Options) { o.WebhookURL = in.url })
	for sign, want := range map[string][2]bool{"": {true, false}, stripe.SignNew: {true, false}, stripe.SignOld: {false, true}, stripe.SignBoth: {true, true}} {
		r.must(r.SetDelivery(stripe.Delivery{Sign: sign}))
		before := len(in.all())
		r.checkoutAndPay()
		waittest.Eventually(t, "the events are delivered", func() bool { return r.Deliveries().Pending == 0 })
		for _, d := range in.all()[before:] {
			for i, secret := range []string{stripe.WebhookSecret, stripe.OldSecret} {
				if err := webhook.ValidatePayload(d.body, d.signature, secret); (err == nil) != want[i] {
					t.Errorf("sign %q, secret %d: %v", sign, i, err)
				}
			}
			if err := webhook.ValidatePayload(d.body, d.signature, "v0"); err == nil {
				t.Error("the v0 signature was taken for one")
			}
		}
	}
}

func TestUndeliveredEventsWaitOverARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stripe.json")
	in := receive(t, always(http.StatusOK))
	t.Run("nobody listens", func(t *testing.T) {
		start(t, func(o *stripe.Options) { o.StateFile = file }).checkoutAndPay()
	})
	r := start(t, func(o *stripe.Options) { o.StateFile, o.WebhookURL = file, in.url })
	waittest.Eventually(t, "the events are delivered", func() bool { return len(in.all()) == 5 && r.Deliveries().Pending == 0 })
}
