package account_test

import (
	"encoding/json"
	"testing"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

func to(price string) account.Change { return account.Change{Price: price, Quantity: 1} }

func TestAnUpgradeIsProratedAndPaidAtOnce(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	r.advance(0, 14*days) // half of the 28 days

	r.with(id, func(tx *account.Tx, s *account.Subscription) error {
		return tx.ChangePlan(s, to(business), account.ProrateNow, true)
	})

	updated := r.events[0]
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated, account.EventInvoicePaid, account.EventInvoicePaymentOK)
	var previous map[string]any
	if err := json.Unmarshal(updated.Previous, &previous); err != nil || previous["items"] == nil || previous["latest_invoice"] == nil || previous["status"] != nil {
		t.Errorf("previous attributes %v, %v", previous, err)
	}
	invoice := r.invoices()[1]
	if invoice.Reason != account.ReasonUpdate || invoice.Paid != 1250 || invoice.Status != account.InvoicePaid {
		t.Errorf("%+v", invoice)
	}
	for i, want := range []account.Line{{Price: pro, Amount: -1250}, {Price: business, Amount: 2500}} {
		if l := invoice.Lines[i]; l.Price != want.Price || l.Amount != want.Amount || !l.Proration || l.To != r.look(id).PeriodEnd {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if s := r.look(id); s.Price != business || date(s.PeriodEnd) != "2026-02-28 10:00" {
		t.Errorf("%+v", s)
	}
	r.advance(1, hour)
	if renewal := r.invoices()[2]; renewal.Paid != 5000 || len(renewal.Lines) != 1 {
		t.Errorf("the renewal: %+v", renewal)
	}
}

func TestAStrictUpgradeThatCannotBePaidChangesNothing(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	r.with(id, func(_ *account.Tx, s *account.Subscription) error { s.FailPayments = 1; return nil })
	upgrade := func(strict bool) func(*account.Tx) error {
		return func(tx *account.Tx) error {
			return tx.ChangePlan(tx.Subscriptions.Get(id), to(business), account.ProrateNow, strict)
		}
	}
	if code := r.refused(upgrade(true)); code != "card_declined" {
		t.Errorf("code %s", code)
	}
	if s := r.look(id); s.Price != pro || len(r.invoices()) != 1 {
		t.Errorf("%+v, %d invoices", s, len(r.invoices()))
	}
	r.wantEvents()

	r.with(id, func(_ *account.Tx, s *account.Subscription) error { s.FailPayments = 1; return nil })
	r.do(upgrade(false))
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated, account.EventInvoicePaymentFailed, account.EventSubscriptionUpdated)
	if s := r.look(id); s.Price != business || s.Status != account.StatusPastDue {
		t.Errorf("%+v", s)
	}
}

func TestADowngradeThatIsBilledAtOnceBecomesACredit(t *testing.T) {
	r := open(t)
	id := r.subscribe(business)
	r.advance(0, 14*days)
	r.with(id, func(tx *account.Tx, s *account.Subscription) error {
		return tx.ChangePlan(s, to(pro), account.ProrateNow, true)
	})
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated, account.EventInvoicePaid, account.EventInvoicePaymentOK)
	if i := r.invoices()[1]; i.Total != -1250 || i.Due != 0 || i.Paid != 0 || i.Payment != "" || i.EndingBalance != -1250 {
		t.Errorf("%+v", i)
	}
	r.advance(1, hour)
	if i := r.invoices()[2]; i.Total != 2500 || i.Due != 1250 || i.Paid != 1250 || i.StartingBalance != -1250 || i.EndingBalance != 0 {
		t.Errorf("the renewal does not use the credit: %+v", i)
	}
}

func TestADowngradeCanWaitForTheEndOfThePeriod(t *testing.T) {
	r := open(t)
	id := r.subscribe(business)
	r.with(id, func(tx *account.Tx, s *account.Subscription) error { return tx.ScheduleChange(s, to(pro)) })
	r.wantEvents(account.EventSubscriptionUpdated)
	if s := r.look(id); s.Price != business || s.Next == nil {
		t.Errorf("%+v", s)
	}
	r.advance(1, hour)
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated, account.EventInvoicePaid, account.EventInvoicePaymentOK)
	if s, i := r.look(id), r.invoices()[1]; s.Price != pro || s.Next != nil || i.Reason != account.ReasonCycle || i.Paid != 2500 || i.Lines[0].Price != pro {
		t.Errorf("%+v, %+v", s, i)
	}
}

func TestProrationsCanWaitForTheNextInvoiceOrNotHappen(t *testing.T) {
	for prorate, want := range map[string]int64{account.ProrateLater: 6250, account.ProrateNever: 5000} {
		r := open(t)
		id := r.subscribe(pro)
		r.advance(0, 14*days)
		r.with(id, func(tx *account.Tx, s *account.Subscription) error {
			return tx.ChangePlan(s, to(business), prorate, false)
		})
		r.wantEvents(account.EventSubscriptionUpdated)
		r.advance(1, hour)
		if i := r.invoices()[1]; i.Paid != want || i.Reason != account.ReasonCycle {
			t.Errorf("%s: %+v", prorate, i)
		}
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	for name, change := range map[string]account.Change{
		"unknown price": to("price_none"), "archived price": to("price_old"), "other currency": to("price_euro"),
		"no quantity": {Price: business},
	} {
		r.refused(func(tx *account.Tx) error {
			return tx.ChangePlan(tx.Subscriptions.Get(id), change, account.ProrateNow, false)
		})
		r.refused(func(tx *account.Tx) error { return tx.ScheduleChange(tx.Subscriptions.Get(id), change) })
		if s := r.look(id); s.Price != pro || s.Next != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	r.with(id, func(tx *account.Tx, s *account.Subscription) error {
		tx.Cancel(s, "cancellation_requested")
		return nil
	})
	r.refused(func(tx *account.Tx) error {
		return tx.ChangePlan(tx.Subscriptions.Get(id), to(business), account.ProrateNow, false)
	})
}

func TestADiscountOfEverythingLeavesNothingToPay(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	r.with(id, func(tx *account.Tx, s *account.Subscription) error { return tx.SetDiscount(s, 100) })
	r.advance(1, hour)
	if i := r.invoices()[1]; i.Subtotal != 2500 || i.Total != 0 || i.Status != account.InvoicePaid || i.Payment != "" {
		t.Errorf("%+v", i)
	}
}
