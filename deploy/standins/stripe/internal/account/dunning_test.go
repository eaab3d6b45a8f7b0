package account_test

import (
	"testing"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// failing renews a subscription whose payments fail from now on.
func failing(r *rig, times int) string {
	r.Helper()
	id := r.subscribe(pro)
	r.with(id, func(_ *account.Tx, s *account.Subscription) error { s.FailPayments = times; return nil })
	r.advance(1, hour)
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated, account.EventInvoicePaymentFailed, account.EventSubscriptionUpdated)
	if s := r.look(id); s.Status != account.StatusPastDue {
		r.Fatalf("after a failed renewal: %s", s.Status)
	}
	return id
}

func TestAFailedRenewalIsTriedAgain(t *testing.T) {
	r := open(t)
	id := failing(r, 1)
	if i := r.invoices()[1]; i.Status != account.InvoiceOpen || i.Attempts != 1 || i.NextAttempt != i.FinalizedAt+3*24*3600 {
		t.Errorf("%+v", i)
	}

	r.advance(0, 3*days)

	r.wantEvents(account.EventInvoicePaid, account.EventInvoicePaymentOK, account.EventSubscriptionUpdated)
	if s, i := r.look(id), r.invoices()[1]; s.Status != account.StatusActive || i.Attempts != 2 || i.Status != account.InvoicePaid || len(s.Open) != 0 {
		t.Errorf("%+v, %+v", s, i)
	}
}

func TestTheFourthFailureEndsTheSubscription(t *testing.T) {
	for _, unpaid := range []bool{false, true} {
		r := open(t, func(o *account.Options) { o.EndUnpaid = unpaid })
		id := failing(r, -1)
		r.advance(0, 3*days)
		r.wantEvents(account.EventInvoicePaymentFailed)
		r.advance(0, 5*days)
		r.wantEvents(account.EventInvoicePaymentFailed)
		r.advance(0, 7*days)

		s, i := r.look(id), r.invoices()[1]
		if i.Status != account.InvoiceOpen || i.Attempts != 4 || i.NextAttempt != 0 {
			t.Errorf("%+v", i)
		}
		if !unpaid {
			r.wantEvents(account.EventInvoicePaymentFailed, account.EventSubscriptionDeleted)
			if s.Status != account.StatusCanceled || s.Reason != "payment_failed" {
				t.Errorf("%+v", s)
			}
			continue
		}
		r.wantEvents(account.EventInvoicePaymentFailed, account.EventSubscriptionUpdated)
		if s.Status != account.StatusUnpaid {
			t.Errorf("%+v", s)
		}
		// The next period's invoice waits as a draft, and paying it brings the
		// subscription back.
		r.advance(1, 0)
		r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated)
		r.with(id, func(tx *account.Tx, s *account.Subscription) error {
			s.FailPayments = 0
			return tx.Pay(tx.Invoices.Get(s.LatestInvoice), "")
		})
		r.wantEvents(account.EventInvoicePaid, account.EventInvoicePaymentOK, account.EventSubscriptionUpdated)
		if s := r.look(id); s.Status != account.StatusActive {
			t.Errorf("%+v", s)
		}
	}
}

func TestAPersonCanPayInBetween(t *testing.T) {
	r := open(t)
	id := failing(r, 2)
	invoice := r.invoices()[1].ID
	pay := func(tx *account.Tx) error { return tx.Pay(tx.Invoices.Get(invoice), "") }
	if code := r.refused(pay); code != "card_declined" {
		t.Errorf("code %s", code)
	}
	r.wantEvents(account.EventInvoicePaymentFailed)
	if i := r.invoices()[1]; i.Attempts != 1 || i.NextAttempt == 0 {
		t.Errorf("a person's attempt changed the schedule: %+v", i)
	}
	r.do(pay)
	r.wantEvents(account.EventInvoicePaid, account.EventInvoicePaymentOK, account.EventSubscriptionUpdated)
	if code := r.refused(pay); code != "invoice_already_paid" {
		t.Errorf("code %s", code)
	}
	r.advance(0, 20*days)
	r.wantEvents()
	if s := r.look(id); s.Status != account.StatusActive {
		t.Errorf("%+v", s)
	}
}

func TestCards(t *testing.T) {
	for name, breakCard := range map[string]func(*account.Tx, *account.Subscription) error{
		"expired": func(tx *account.Tx, s *account.Subscription) error { tx.Expire(tx.Cards.Get(s.Card)); return nil },
		"a new one that fails": func(tx *account.Tx, s *account.Subscription) error {
			card, err := tx.SaveCard(s.Customer, account.CardFailsLater)
			s.Card = card.ID
			return err
		},
		"none": func(_ *account.Tx, s *account.Subscription) error { s.Card = ""; return nil },
	} {
		r := open(t)
		id := r.subscribe(pro)
		r.with(id, breakCard)
		r.advance(1, hour)
		if s := r.look(id); s.Status != account.StatusPastDue {
			t.Errorf("%s: %s", name, s.Status)
		}
		r.with(id, func(tx *account.Tx, s *account.Subscription) error {
			card, err := tx.SaveCard(s.Customer, account.CardWorksToo)
			s.Card = card.ID
			return err
		})
		r.advance(0, 3*days)
		if s := r.look(id); s.Status != account.StatusActive {
			t.Errorf("%s: %s with a card that works", name, s.Status)
		}
	}
}

func TestADeclinedCardStartsNothing(t *testing.T) {
	r := open(t)
	for _, card := range []string{account.CardDeclined, account.CardFailsLater, "no such card"} {
		r.refused(func(tx *account.Tx) error {
			_, err := tx.Subscribe(account.Start{Customer: r.customer, Price: pro, Card: card})
			return err
		})
	}
	r.wantEvents()
	if err := r.Read(t.Context(), func(tx *account.Tx) {
		if n := len(tx.Subscriptions.All(func(*account.Subscription) bool { return true })); n != 0 {
			t.Errorf("%d subscriptions", n)
		}
	}); err != nil {
		t.Error(err)
	}
}

func TestMoneyGoesBack(t *testing.T) {
	r := open(t)
	r.subscribe(pro)
	charge := func(tx *account.Tx) *account.Charge {
		return tx.Charges.All(func(*account.Charge) bool { return true })[0]
	}
	refund := func(amount int64) func(*account.Tx) error {
		return func(tx *account.Tx) error { _, err := tx.Refund(charge(tx), amount, "", nil); return err }
	}
	r.do(refund(1000))
	if got := field(t, r.events[0], "amount_refunded"); got != 1000.0 || field(t, r.events[0], "refunded") != false {
		t.Errorf("amount_refunded %v", got)
	}
	if code := r.refused(refund(1501)); code != "amount_too_large" {
		t.Errorf("code %s", code)
	}
	r.do(refund(0))
	if field(t, r.events[1], "amount_refunded") != 2500.0 || field(t, r.events[1], "refunded") != true {
		t.Errorf("%s", r.events[1].Object)
	}
	if code := r.refused(refund(0)); code != "charge_already_refunded" {
		t.Errorf("code %s", code)
	}
	r.wantEvents(account.EventChargeRefunded, account.EventChargeRefunded)

	r.subscribe(pro)
	r.do(func(tx *account.Tx) error {
		dispute, err := tx.OpenDispute(tx.Charges.Newest(func(*account.Charge) bool { return true })[0])
		if err != nil {
			return err
		}
		return tx.CloseDispute(dispute, false)
	})
	if got := field(t, r.events[1], "status"); got != "lost" {
		t.Errorf("status %v", got)
	}
	r.wantEvents(account.EventDisputeCreated, account.EventDisputeClosed)
}
