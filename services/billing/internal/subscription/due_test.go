package subscription

import (
	"testing"
	"time"

	"fledge.dev/services/billing/internal/stripe"
)

// TestWhatIsOverdueIsAllThatIsOpen, since the oldest of it, and nothing once it is paid.
func TestWhatIsOverdueIsAllThatIsOpen(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first := time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	s.api.open = []stripe.Invoice{
		{ID: "in_2", Currency: "usd", Due: 5000, Created: first.AddDate(0, 1, 0)}, {ID: "in_1", Currency: "usd", Due: 1500, Created: first},
	}
	for _, step := range []struct {
		status string
		want   *Due
	}{{"past_due", &Due{6500, "usd", first, false}}, {"unpaid", &Due{6500, "usd", first, false}}, {"active", nil}} {
		s.status = step.status
		s.apply()
		got, _, err := s.Current(t.Context(), s.user)
		if err != nil || (got.Due == nil) != (step.want == nil) || got.Due != nil && *got.Due != *step.want {
			t.Errorf("%s: %+v, %v; want %+v", step.status, got.Due, err, step.want)
		}
	}
}

// TestWhatIsToBePaidLaterIsNotOverdue: somebody who is sent invoices has days to pay each.
func TestWhatIsToBePaidLaterIsNotOverdue(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	today := time.Now().UTC().Truncate(time.Second)
	sent := func(id string, days int) stripe.Invoice { // days ago
		created := today.AddDate(0, 0, -days)
		return stripe.Invoice{ID: id, Currency: "usd", Due: 50000, Created: created, DueAt: created.AddDate(0, 0, 60)}
	}
	third, second, first := sent("in_3", 10), sent("in_2", 40), sent("in_1", 70)
	for name, tc := range map[string]struct {
		status     string
		open       []stripe.Invoice
		processing bool
		want       *Due
	}{
		"one is overdue":             {"past_due", []stripe.Invoice{third, second, first}, false, &Due{50000, "usd", first.DueAt, false}},
		"overdue by Stripe's clock":  {"past_due", []stripe.Invoice{third, second}, false, &Due{50000, "usd", second.DueAt, false}},
		"none is yet":                {"active", []stripe.Invoice{third, second}, false, nil},
		"one is being paid in time":  {"active", []stripe.Invoice{second}, true, &Due{50000, "usd", second.Created, true}},
		"beside one that is charged": {"past_due", []stripe.Invoice{{ID: "in_4", Currency: "usd", Due: 1500, Created: today}, first}, false, &Due{51500, "usd", first.DueAt, false}},
	} {
		s.status, s.invoice, s.api.open, s.api.processing, s.api.paid = tc.status, "in_3", tc.open, tc.processing, []stripe.Invoice{{ID: "in_0", Created: today.AddDate(0, 0, -100)}}
		s.apply()
		got, _, err := s.Current(t.Context(), s.user)
		if err != nil || (got.Due == nil) != (tc.want == nil) || got.Due != nil && *got.Due != *tc.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got.Due, err, tc.want)
		}
	}
}

// TestWhatNobodyCanPayAnyMoreIsOver: Stripe has stopped trying, and leaves the invoices of further periods as drafts. One whose latest
// invoice has just been paid goes on.
func TestWhatNobodyCanPayAnyMoreIsOver(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	created := time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	first, second := stripe.Invoice{ID: "in_1", Currency: "usd", Due: 2500, Created: created}, stripe.Invoice{ID: "in_2", Created: created.AddDate(0, 1, 0)}
	for name, tc := range map[string]struct {
		status     string
		open, paid []stripe.Invoice
		want       string
	}{
		"one can be paid":       {"unpaid", []stripe.Invoice{first}, nil, "past_due"},
		"none can":              {"unpaid", nil, []stripe.Invoice{first}, ""},
		"none can, never paid":  {"unpaid", nil, nil, ""},
		"the latest was paid":   {"unpaid", nil, []stripe.Invoice{first, second}, "past_due"},
		"Stripe goes on trying": {"past_due", nil, []stripe.Invoice{first}, "past_due"},
	} {
		s.status, s.invoice, s.api.open, s.api.paid = tc.status, "in_2", tc.open, tc.paid
		s.apply()
		got, _, err := s.Current(t.Context(), s.user)
		if err != nil || got.Status != tc.want {
			t.Errorf("%s: %q, %v; want %q", name, got.Status, err, tc.want)
		}
	}
}
