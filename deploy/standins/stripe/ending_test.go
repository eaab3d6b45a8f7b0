package stripe_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// TestAVoidInvoiceIsNeverPaid, and one that was paid, also in part, or is a draft does not become void.
func TestAVoidInvoiceIsNeverPaid(t *testing.T) {
	r := start(t)
	open := r.unpaidInvoice(r.customer())
	voided, err := r.sc.V1Invoices.VoidInvoice(t.Context(), open, nil)
	if err != nil || voided.Status != sdk.InvoiceStatusVoid || voided.StatusTransitions.VoidedAt == 0 {
		t.Fatalf("%+v, %v", voided, err)
	}
	if _, err := r.sc.V1Invoices.Pay(t.Context(), open, nil); err == nil {
		t.Error("it was paid")
	}
	r.must(r.Advance(t.Context(), 0, 20*24*time.Hour))
	if read, err := r.sc.V1Invoices.Retrieve(t.Context(), open, nil); err != nil || read.Status != sdk.InvoiceStatusVoid {
		t.Errorf("%v, %v", read, err)
	}
	o, part := r.objects(), r.unpaidInvoice(r.customer())
	_, err = r.PayPart(t.Context(), part, 100)
	r.must(err)
	for what, id := range map[string]string{"void": open, "paid": o.Invoice, "paid in part": part, "draft": r.draft(o.Subscription)} {
		_, err := r.sc.V1Invoices.VoidInvoice(t.Context(), id, nil)
		if said, ok := errors.AsType[*sdk.Error](err); !ok || said.HTTPStatusCode != http.StatusBadRequest {
			t.Errorf("one that is %s: %v", what, err)
		}
	}
}

func TestADraftThatDoesNotAdvanceIsNotCollected(t *testing.T) {
	r := start(t)
	s, err := r.Subscribe(t.Context(), r.customer(), stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	draft := r.draft(s)
	for _, advance := range []bool{false, true} {
		changed, err := r.sc.V1Invoices.Update(t.Context(), draft, &sdk.InvoiceUpdateParams{AutoAdvance: sdk.Bool(advance)})
		if err != nil || changed.AutoAdvance != advance {
			t.Fatalf("%+v, %v", changed, err)
		}
		r.must(r.Advance(t.Context(), 0, 2*time.Hour))
		want := map[bool]sdk.InvoiceStatus{false: sdk.InvoiceStatusDraft, true: sdk.InvoiceStatusPaid}[advance]
		if read, err := r.sc.V1Invoices.Retrieve(t.Context(), draft, nil); err != nil || read.Status != want {
			t.Errorf("with auto_advance %t: %s, %v; want %s", advance, read.Status, err, want)
		}
	}
}

// TestADeletedCustomerLeavesItsInvoices, with the address that they were made out to; nothing
// else has it, and no card is the customer's.
func TestADeletedCustomerLeavesItsInvoices(t *testing.T) {
	r := start(t)
	customer := r.customer()
	session := r.checkout(customer, stripe.ProPrice)
	r.must(r.PayCheckout(t.Context(), session.ID, stripe.CardWorks))
	session, err := r.sc.V1CheckoutSessions.Retrieve(t.Context(), session.ID, &sdk.CheckoutSessionRetrieveParams{
		Expand: sdk.StringSlice([]string{"subscription", "invoice"}),
	})
	r.must(err)
	_, err = r.sc.V1Customers.Delete(t.Context(), customer, nil)
	r.must(err)
	invoice, err := r.sc.V1Invoices.Retrieve(t.Context(), session.Invoice.ID, nil)
	if err != nil || invoice.CustomerEmail != "somebody@fledge.test" || invoice.Status != sdk.InvoiceStatusPaid {
		t.Errorf("the invoice: %+v, %v", invoice, err)
	}
	card, err := r.sc.V1PaymentMethods.Retrieve(t.Context(), session.Subscription.DefaultPaymentMethod.ID, nil)
	if err != nil || card.Customer != nil || card.BillingDetails.Email != "" {
		t.Errorf("the card: %+v, %v", card, err)
	}
	after, err := r.sc.V1CheckoutSessions.Retrieve(t.Context(), session.ID, nil)
	if err != nil || after.CustomerDetails.Email != "" {
		t.Errorf("the checkout: %+v, %v", after, err)
	}
	if s, err := r.sc.V1Subscriptions.Retrieve(t.Context(), session.Subscription.ID, nil); err != nil || s.Status != sdk.SubscriptionStatusCanceled {
		t.Errorf("the subscription: %+v, %v", s, err)
	}
}

// TestAScheduleIsReleasedBeforeItsSubscriptionIsSetToEnd, and the change of plan is off then.
func TestAScheduleIsReleasedBeforeItsSubscriptionIsSetToEnd(t *testing.T) {
	r := start(t)
	schedule := r.schedule(r.customer())
	var subscription string
	for s, err := range r.sc.V1Subscriptions.List(t.Context(), nil).All(t.Context()) {
		r.must(err)
		subscription = s.ID
	}
	end := &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)}
	if _, err := r.sc.V1Subscriptions.Update(t.Context(), subscription, end); err == nil {
		t.Error("a subscription of a schedule was set to end")
	}
	released, err := r.sc.V1SubscriptionSchedules.Release(t.Context(), schedule, nil)
	if err != nil || released.Status != sdk.SubscriptionScheduleStatusReleased {
		t.Fatalf("%+v, %v", released, err)
	}
	if s, err := r.sc.V1Subscriptions.Update(t.Context(), subscription, end); err != nil || s.Schedule != nil || !s.CancelAtPeriodEnd {
		t.Errorf("%+v, %v", s, err)
	}
	for id, want := range map[string]int{schedule: http.StatusBadRequest, "sub_sched_never": http.StatusNotFound} {
		_, err := r.sc.V1SubscriptionSchedules.Release(t.Context(), id, nil)
		if said, ok := errors.AsType[*sdk.Error](err); !ok || said.HTTPStatusCode != want {
			t.Errorf("%s: %v, want %d", id, err, want)
		}
	}
}
