package account_test

import (
	"testing"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/services/platform/errtest"
)

func TestThirteenMonths(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	ends := []string{
		"2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31", "2026-08-31",
		"2026-09-30", "2026-10-31", "2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28",
	}
	for month, end := range ends {
		s := r.look(id)
		if got := date(s.PeriodEnd); got != end+" 10:00" || s.Status != account.StatusActive {
			t.Fatalf("month %d: %s until %s, want %s", month, s.Status, got, end)
		}
		// A second before the end nothing has happened, at the end there is a draft.
		r.advance(0, time.Unix(s.PeriodEnd, 0).Sub(r.clock.Now().Add(r.ahead()))-time.Second)
		r.wantEvents()
		r.advance(0, time.Second)
		r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated)
		r.advance(0, hour-time.Second)
		r.wantEvents()
		r.advance(0, time.Second)
		if len(r.events) == 0 {
			t.Fatalf("month %d: the renewal was not collected after an hour", month)
		}
		paid := r.events[0]
		if got := field(t, paid, "billing_reason"); got != account.ReasonCycle {
			t.Errorf("billing_reason %v", got)
		}
		if from, to := field(t, paid, "period_start"), field(t, paid, "period_end"); int64(from.(float64)) != s.PeriodStart || int64(to.(float64)) != s.PeriodEnd {
			t.Errorf("the invoice's own period is %v to %v, want the one that passed", from, to)
		}
		r.wantEvents(account.EventInvoicePaid, account.EventInvoicePaymentOK)
	}
	invoices := r.invoices()
	if len(invoices) != 1+len(ends) {
		t.Fatalf("%d invoices, want one for each of %d periods", len(invoices), 1+len(ends))
	}
	seen := map[int64]bool{}
	for _, invoice := range invoices {
		line := invoice.Lines[0]
		if invoice.Status != account.InvoicePaid || invoice.Paid != 2500 || len(invoice.Lines) != 1 || seen[line.From] {
			t.Errorf("%s: %s, %d paid, lines %+v", invoice.ID, invoice.Status, invoice.Paid, invoice.Lines)
		}
		seen[line.From] = true
	}
}

// ahead is how far the account's time is ahead of the clock.
func (r *rig) ahead() (by time.Duration) {
	r.Helper()
	errtest.None(r, r.Read(r.Context(), func(tx *account.Tx) { by = time.Unix(tx.Now(), 0).Sub(r.clock.Now()) }))
	return by
}

func TestALeapOfAYearDoesEveryMonthInItsOwnTime(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)

	r.advance(13, 2*hour)

	if s := r.look(id); s.Periods != 14 || date(s.PeriodEnd) != "2027-03-31 10:00" {
		t.Errorf("period %d until %s", s.Periods, date(s.PeriodEnd))
	}
	invoices := r.invoices()
	if len(invoices) != 14 {
		t.Fatalf("%d invoices", len(invoices))
	}
	for i, invoice := range invoices[1:] {
		if invoice.Created != invoice.To || invoice.PaidAt != invoice.Created+3600 {
			t.Errorf("renewal %d: made %s, paid %s, for the period until %s", i, date(invoice.Created), date(invoice.PaidAt), date(invoice.To))
		}
	}
}

func TestTimeAlsoPassesByItself(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	r.clock.Advance(28 * days)
	if s := r.look(id); s.Periods != 2 {
		t.Errorf("in period %d", s.Periods)
	}
	r.wantEvents(account.EventSubscriptionUpdated, account.EventInvoiceCreated)
	if err := r.Advance(t.Context(), 0, -time.Second); err == nil {
		t.Error("time ran backwards")
	}
}

func TestAScheduledCancellationEndsTheSubscriptionInsteadOfRenewingIt(t *testing.T) {
	for _, flag := range []bool{true, false} {
		r := open(t)
		id := r.subscribe(pro)
		r.with(id, func(tx *account.Tx, s *account.Subscription) error { tx.CancelAtPeriodEnd(s, flag); return nil })
		r.wantEvents(account.EventSubscriptionUpdated)
		if s := r.look(id); s.Status != account.StatusActive || s.CancelAt != s.PeriodEnd || s.CancelAtPeriodEnd != flag || s.CanceledAt == 0 {
			t.Errorf("flag %v: %+v", flag, s)
		}

		r.advance(1, 2*hour)

		s := r.look(id)
		if s.Status != account.StatusCanceled || s.EndedAt != s.PeriodEnd || s.Reason != "cancellation_requested" {
			t.Errorf("flag %v: %+v", flag, s)
		}
		r.wantEvents(account.EventSubscriptionDeleted)
		r.advance(3, 0)
		r.wantEvents()
	}
}

func TestACancellationCanBeTakenBackUntilItHappens(t *testing.T) {
	for _, flag := range []bool{true, false} {
		r := open(t)
		id := r.subscribe(pro)
		r.with(id, func(tx *account.Tx, s *account.Subscription) error { tx.CancelAtPeriodEnd(s, flag); return nil })
		r.advance(0, 5*days)
		r.with(id, func(tx *account.Tx, s *account.Subscription) error { tx.Keep(s); return nil })
		r.wantEvents(account.EventSubscriptionUpdated, account.EventSubscriptionUpdated)

		r.advance(1, 0)

		if s := r.look(id); s.Status != account.StatusActive || s.CancelAt != 0 || s.CancelAtPeriodEnd || s.CanceledAt != 0 || s.Reason != "" || s.Periods != 2 {
			t.Errorf("flag %v: %+v", flag, s)
		}
	}
}

func TestASubscriptionCanPauseAndGoOn(t *testing.T) {
	r := open(t)
	id := r.subscribe(pro)
	r.with(id, func(tx *account.Tx, s *account.Subscription) error { return tx.Pause(s) })
	r.advance(2, 0)
	r.wantEvents(account.EventSubscriptionPaused)
	r.with(id, func(tx *account.Tx, s *account.Subscription) error { return tx.Resume(s) })
	r.wantEvents(account.EventSubscriptionResumed)
	if s := r.look(id); s.Status != account.StatusActive || s.PeriodEnd <= r.clock.Now().Add(r.ahead()).Unix() || len(r.invoices()) != 1 {
		t.Errorf("%+v, %d invoices", s, len(r.invoices()))
	}
}
