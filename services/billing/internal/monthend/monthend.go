// Package monthend adds up the month-end report: what was invoiced, paid, refunded and disputed,
// as Stripe has it, and what credits did, as the ledger has it.
package monthend

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
)

// What else is sold than plans: packs of credits, and what is none of ours.
const (
	packs = "Extra credits"
	other = "Other"
)

// Row is one sum of a month.
type Row struct {
	// What is "invoiced", "paid", "refunded", "disputed" or "dispute won", with a plan's name and a
	// currency; or "credits granted", "spent", "expired", "taken back" or "adjusted", without.
	What, Plan, Currency string
	// Count is how many were added up; 0 for credits.
	Count int64
	// Amount is in hundredths of the currency, or of a credit.
	Amount int64
}

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	EachInvoice(ctx context.Context, since, until time.Time, fn func(stripe.Invoice) error) error
	EachRefund(ctx context.Context, since, until time.Time, fn func(stripe.Refund) error) error
	EachDispute(ctx context.Context, since, until time.Time, fn func(stripe.Dispute) error) error
	InvoicesOfPayment(ctx context.Context, intent string) ([]stripe.Invoice, error)
	CheckoutOfPayment(ctx context.Context, intent string) (_ stripe.Checkout, ok bool, err error)
}

// Reporter adds up months. Safe for concurrent use.
type Reporter struct {
	stripe Stripe
	plans  *plan.Catalog
	stats  *stats.Reader
}

// New returns the reporter; a demo has no Stripe (nil) and only credits.
func New(api Stripe, plans *plan.Catalog, credits *stats.Reader) *Reporter {
	return &Reporter{stripe: api, plans: plans, stats: credits}
}

var errMonth = errors.New("no month such as 2026-10")

// Parse reads a month such as "2026-10", which is one in UTC.
func Parse(month string) (time.Time, error) {
	const form = "2006-01"
	first, err := time.Parse(form, month)
	if err != nil || first.Format(form) != month || first.Year() < 2000 {
		return time.Time{}, errMonth
	}
	return first, nil
}

// Month adds up the month that begins at first. An invoice, a refund and a dispute count in the month in which each
// was made. Drafts and void invoices do not count. Refunds and disputes of a payment without an invoice do not count
// either. An invoice with several lines of plans is the plan's whose line is the largest. Unavailable when Stripe or the
// database is.
func (r *Reporter) Month(ctx context.Context, first time.Time) ([]Row, error) {
	m := month{reporter: r, since: first, until: first.AddDate(0, 1, 0), sums: map[Row]Row{}, plans: map[string]string{}}
	if r.stripe != nil {
		if err := m.money(ctx); err != nil {
			return nil, err
		}
	}
	moved, err := r.stats.Movement(ctx, m.since, m.until)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	return append(m.rows(),
		Row{What: "credits granted", Amount: moved.Granted}, Row{What: "credits spent", Amount: moved.Spent},
		Row{What: "credits expired", Amount: moved.Expired}, Row{What: "credits taken back", Amount: moved.Withdrawn},
		Row{What: "credits adjusted", Amount: moved.Adjusted}), nil
}

// month is one that is being added up.
type month struct {
	reporter     *Reporter
	prices       plan.Prices
	since, until time.Time
	// sums are by their rows without numbers.
	sums map[Row]Row
	// plans are those of payments that went back, by intent; "" for one that has paid no invoice.
	plans map[string]string
}

func (m *month) add(what, plan, currency string, amount int64) {
	key := Row{What: what, Plan: plan, Currency: currency}
	sum, ok := m.sums[key]
	if !ok {
		sum = key
	}
	sum.Count++
	sum.Amount += stripe.Hundredths(amount, currency)
	m.sums[key] = sum
}

// order is that of the rows.
var order = []string{"invoiced", "paid", "refunded", "disputed", "dispute won"}

func (m *month) rows() []Row {
	rows := make([]Row, 0, len(m.sums))
	for _, row := range m.sums {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.What), slices.Index(order, b.What)), cmp.Compare(a.Plan, b.Plan), cmp.Compare(a.Currency, b.Currency))
	})
	return rows
}

func (m *month) money(ctx context.Context) (err error) {
	if m.prices, err = m.reporter.plans.Prices(ctx); err != nil {
		return err
	}
	api := m.reporter.stripe
	return errors.Join(
		api.EachInvoice(ctx, m.since, m.until, func(i stripe.Invoice) error {
			if i.Status != "draft" && i.Status != "void" {
				sold := m.planOf(i)
				m.add("invoiced", sold, i.Currency, i.Total)
				if i.Status == "paid" || i.Paid > 0 {
					m.add("paid", sold, i.Currency, i.Paid)
				}
			}
			return nil
		}),
		api.EachRefund(ctx, m.since, m.until, func(r stripe.Refund) error {
			if r.Status == "failed" || r.Status == "canceled" {
				return nil
			}
			return m.back(ctx, r.IntentID, func(sold string) { m.add("refunded", sold, r.Currency, r.Amount) })
		}),
		api.EachDispute(ctx, m.since, m.until, func(d stripe.Dispute) error { return m.dispute(ctx, d) }),
	)
}

// dispute counts one for which money has moved.
func (m *month) dispute(ctx context.Context, d stripe.Dispute) error {
	if d.Unmoved() {
		return nil
	}
	return m.back(ctx, d.IntentID, func(sold string) {
		m.add("disputed", sold, d.Currency, d.Amount)
		if d.Won() {
			m.add("dispute won", sold, d.Currency, d.Amount)
		}
	})
}

func (m *month) planOf(i stripe.Invoice) string {
	if i.Pack {
		return packs
	}
	name, largest := other, int64(0)
	for _, l := range i.Lines {
		if sold, ours := m.prices.Of(l.PriceID, l.ProductID); ours && (name == other || l.Amount > largest) {
			name, largest = sold.Name, l.Amount
		}
	}
	return name
}

// back calls fn with the plan that a payment was for, unless it has paid no invoice: such money was not
// counted when it came.
func (m *month) back(ctx context.Context, intent string, fn func(sold string)) error {
	sold, known := m.plans[intent]
	if !known {
		var err error
		if sold, err = m.soldBy(ctx, intent); err != nil {
			return err
		}
		m.plans[intent] = sold
	}
	if sold != "" {
		fn(sold)
	}
	return nil
}

// soldBy is the plan that a payment was for, by its intent. It is other where that is none of ours or nobody knows it,
// and "" where Stripe says that it has paid no invoice.
func (m *month) soldBy(ctx context.Context, intent string) (string, error) {
	if intent == "" {
		return other, nil
	}
	sold, ok, err := m.reporter.stripe.CheckoutOfPayment(ctx, intent)
	switch {
	case err != nil && !errors.Is(err, stripe.ErrGone):
		return "", err
	case ok && sold.Credits > 0:
		return packs, nil
	}
	paid, err := m.reporter.stripe.InvoicesOfPayment(ctx, intent)
	switch {
	case errors.Is(err, stripe.ErrGone):
		return other, nil
	case err != nil:
		return "", err
	case len(paid) == 0:
		return "", nil
	case len(paid) == 1:
		return m.planOf(paid[0]), nil
	}
	return other, nil
}
