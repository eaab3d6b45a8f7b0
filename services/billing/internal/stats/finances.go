package stats

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Movement is what all accounts' credits did in some time, in hundredths of a credit.
type Movement struct {
	// Granted was paid for or is the free plan's. Withdrawn went back with a refund or a dispute.
	Granted, Spent, Expired, Withdrawn int64
	// Adjusted was given by staff or came back with a refund that failed; negative when more was taken.
	Adjusted int64
}

// Movement adds up what happened from since until a time.
func (r *Reader) Movement(ctx context.Context, since, until time.Time) (Movement, error) {
	row, err := r.q.MovedBetween(ctx, r.pool, db.MovedBetweenParams{Since: since, Until: until})
	return Movement(row), err
}

func (m Movement) plus(other Movement) Movement {
	return Movement{
		Granted: m.Granted + other.Granted, Spent: m.Spent + other.Spent, Expired: m.Expired + other.Expired,
		Withdrawn: m.Withdrawn + other.Withdrawn, Adjusted: m.Adjusted + other.Adjusted,
	}
}

// Money is an amount in the smallest unit of a currency ("usd").
type Money struct {
	Currency string
	Amount   int64
}

// Group are the subscriptions to one plan at one price in one status.
type Group struct {
	// Plan is its name.
	Plan, PriceID, Status string
	// Monthly is what a month of one comes to, before discounts and taxes; without a currency while
	// that is not known.
	Monthly       Money
	Subscriptions int64
}

// Finances are what finance looks at.
type Finances struct {
	// Groups are all subscriptions that have not ended, the cheapest plan first.
	Groups []Group
	// Revenue is what the subscriptions come to in a month, by currency: before discounts and taxes,
	// without trials, without what is set to end and what Stripe tries to collect no more.
	Revenue []Money
	// Had is how many accounts had a subscription 30 days ago, Lost how many of them have none now.
	Had, Lost int64
	// Movement is what credits did in the last 30 days in UTC, today included.
	Movement Movement
	// Outstanding is what all accounts have, Owed what was spent and then paid back.
	Outstanding, Owed int64
	// Owing are the accounts of Owed and those with disputed payments, those first that owe the most.
	Owing []Owing
}

// maxOwing is how many accounts that owe are shown.
const maxOwing = 100

// Owing is an account whose payments went back.
type Owing struct {
	UserID uuid.UUID
	// Owed is what it had spent of them, in hundredths of a credit; Disputes counts its disputed payments that
	// are open or lost.
	Owed, Disputes int64
}

// Finances adds up. Unavailable when that cannot be done in time.
func (r *Reader) Finances(ctx context.Context) (Finances, error) {
	ctx, cancel := context.WithTimeout(ctx, r.deadline)
	defer cancel()
	f, err := r.finances(ctx)
	return f, pg.Fault(err, nil)
}

func (r *Reader) finances(ctx context.Context) (f Finances, err error) {
	sold, err := r.plans.List(ctx)
	if err != nil {
		return f, err
	}
	names := map[string]string{}
	for _, p := range sold {
		names[p.ID] = p.Name
	}
	groups, err := r.q.SubscriptionGroups(ctx, r.pool)
	if err != nil {
		return f, err
	}
	for _, g := range groups {
		f.Groups = append(f.Groups, Group{
			Plan: names[g.PlanID], PriceID: g.PriceID, Status: g.Status, Monthly: Money{g.Currency, g.MonthlyAmount}, Subscriptions: g.Subscriptions,
		})
	}
	revenue, err := r.q.MonthlyRevenue(ctx, r.pool)
	if err != nil {
		return f, err
	}
	for _, row := range revenue {
		f.Revenue = append(f.Revenue, Money(row))
	}
	churn, err := r.q.Churn(ctx, r.pool, r.clock.Now().AddDate(0, 0, -lastDays))
	if err != nil {
		return f, err
	}
	f.Had, f.Lost = churn.Had, churn.Lost
	days, err := r.days(ctx)
	if err != nil {
		return f, err
	}
	for _, d := range days {
		f.Movement = f.Movement.plus(d.Movement)
	}
	now, err := r.q.CreditsNow(ctx, r.pool)
	if err != nil {
		return f, err
	}
	f.Outstanding, f.Owed = now.Outstanding, now.Owed
	marked, err := r.q.Marked(ctx, r.pool, maxOwing)
	for _, row := range marked {
		f.Owing = append(f.Owing, Owing(row))
	}
	return f, err
}
