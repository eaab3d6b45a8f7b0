package account_test

import (
	"encoding/json"
	"slices"
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

// TestACycleThatIsResetBeginsAtOnce: a whole period is paid, less what is left of the one before.
func TestACycleThatIsResetBeginsAtOnce(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	r.advance(0, 14*days) // half of the 28 days
	r.with(id, func(tx *account.Tx, s *account.Subscription) error { return tx.Reset(s, account.ProrateLater) })
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated, account.EventInvoicePaid, account.EventInvoicePaymentOK)
	i, s := r.invoices()[1], r.look(id)
	if i.Paid != 1250 || len(i.Lines) != 2 || !i.Lines[0].Proration || i.Lines[1].From != s.PeriodStart || i.Lines[1].To != s.PeriodEnd || date(s.PeriodEnd) != "2026-03-14 10:00" {
		t.Errorf("until %s, billed %+v", date(s.PeriodEnd), i)
	}
	r.advance(1, hour)
	if i := r.invoices()[2]; i.Paid != 2500 || i.Reason != account.ReasonCycle {
		t.Errorf("the renewal: %+v", i)
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

// TestAChangeWaitsAsThePortalsConfigurationSays, and where there is none, for both reasons.
func TestAChangeWaitsAsThePortalsConfigurationSays(t *testing.T) {
	const quarter, year = "price_quarter", "price_year"
	r := open(t, func(o *account.Options) {
		o.Prices = append(o.Prices,
			account.Price{ID: quarter, Product: "prod_pro", Amount: 2000, Currency: "usd", Interval: "month", Count: 3},
			account.Price{ID: year, Product: "prod_pro", Amount: 25000, Currency: "usd", Interval: "year"})
	})
	offers := []account.Offer{{Product: "prod_pro", Prices: []string{pro}}}
	for _, tc := range []struct {
		from, to        string
		amount, shorter bool // what has it wait
	}{
		{business, pro, true, false},
		{pro, business, false, false},
		{quarter, pro, false, true},
		{pro, quarter, true, false},
		{year, pro, true, true},
		{quarter, year, false, false},
	} {
		id := r.subscribe(tc.from)
		for _, later := range [][]string{nil, {account.LessAmount}, {account.Shorter}, {account.LessAmount, account.Shorter}} {
			r.with(id, func(tx *account.Tx, s *account.Subscription) error {
				c, err := tx.CreateConfiguration(account.Configuration{Changes: true, Later: later, Offers: offers})
				if err != nil {
					return err
				}
				want := tc.amount && slices.Contains(later, account.LessAmount) || tc.shorter && slices.Contains(later, account.Shorter)
				if tx.Waits(&account.Portal{Configuration: c.ID}, s, to(tc.to)) != want || tx.Waits(&account.Portal{}, s, to(tc.to)) != (tc.amount || tc.shorter) {
					t.Errorf("%s to %s with %q: want %t", tc.from, tc.to, later, want)
				}
				return nil
			})
		}
	}
	id := r.subscribe(quarter)
	if s := r.look(id); date(s.PeriodEnd) != "2026-04-30 10:00" {
		t.Errorf("a quarter is paid until %s", date(s.PeriodEnd))
	}
}

// TestAPortalWithoutChangesNeedsNoProducts, and one with them does.
func TestAPortalWithoutChangesNeedsNoProducts(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	if code := r.refused(func(tx *account.Tx) error {
		_, err := tx.CreateConfiguration(account.Configuration{Changes: true})
		return err
	}); code != "parameter_missing" {
		t.Errorf("code %q", code)
	}
	var closed *account.Configuration
	r.do(func(tx *account.Tx) (err error) {
		closed, err = tx.CreateConfiguration(account.Configuration{})
		return err
	})
	r.refused(func(tx *account.Tx) error {
		_, err := tx.CreatePortal(account.Portal{Customer: r.customer, Configuration: closed.ID, Flow: account.FlowConfirm, Subscription: id, Change: to(business)})
		return err
	})
}

// TestAYearKeepsTheDayOfTheRenewals, as in flexible billing mode: it is charged from the change until that day, and so is the
// month after it.
func TestAYearKeepsTheDayOfTheRenewals(t *testing.T) {
	const year = "price_year"
	r := open(t, func(o *account.Options) {
		o.Prices = append(o.Prices, account.Price{ID: year, Product: "prod_pro", Amount: 36500, Currency: "usd", Interval: "year"})
	})
	id := r.subscribe(pro) // on the 31st of January
	r.advance(1, 10*days)
	r.with(id, func(tx *account.Tx, s *account.Subscription) error {
		return tx.ChangePlan(s, to(year), account.ProrateNow, true)
	})
	i, s := r.invoices()[2], r.look(id)
	if date(s.PeriodEnd) != "2027-01-31 10:00" || i.Lines[0].Amount >= 0 || i.Lines[1].To != s.PeriodEnd || i.Lines[1].Amount != 100*(i.Lines[1].To-i.Lines[1].From)/(24*60*60) || !i.Lines[1].Proration {
		t.Errorf("until %s, billed %+v", date(s.PeriodEnd), i.Lines)
	}
	r.with(id, func(tx *account.Tx, s *account.Subscription) error { return tx.ScheduleChange(s, to(pro)) })
	r.advance(11, 2*hour)
	if s := r.look(id); date(s.PeriodEnd) != "2027-02-28 10:00" || s.Price != pro || date(s.PeriodStart) != "2027-01-31 10:00" {
		t.Errorf("after the year: %s until %s", s.Price, date(s.PeriodEnd))
	}
}
