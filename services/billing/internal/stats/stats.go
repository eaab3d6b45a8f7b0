// Package stats adds billing up for staff: how many subscribe to what, and what is
// spent.
package stats

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
)

// days is how far back Overview.Days reaches.
const days = 30

// Overview is billing at one moment.
type Overview struct {
	// Active, Cancelled and PastDue count accounts by what they are shown.
	Active, Cancelled, PastDue int64
	// Plans are all that are sold, the cheapest first.
	Plans []Plan
	// Days are the last 30, the oldest first, none left out.
	Days []Day
}

// Plan is how many subscribe to one actively.
type Plan struct {
	Name   string
	Active int64
}

// Day is what all accounts spent on a day, in hundredths of a credit.
type Day struct {
	// Start is the day's first instant, in UTC.
	Start time.Time
	Spent int64
}

// Reader reads overviews. Safe for concurrent use.
type Reader struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	plans    *plan.Catalog
	clock    clock.Clock
	deadline time.Duration
}

// NewReader returns a reader of a migrated database.
func NewReader(pool *pgxpool.Pool, plans *plan.Catalog, clk clock.Clock, deadline time.Duration) *Reader {
	return &Reader{pool: pool, q: db.New(), plans: plans, clock: clk, deadline: deadline}
}

// Overview adds up. Unavailable when the database is.
func (r *Reader) Overview(ctx context.Context) (o Overview, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.deadline)
	defer cancel()
	sold, err := r.plans.List(ctx)
	if err != nil {
		return Overview{}, err
	}
	standings, err := r.q.CountStandings(ctx, r.pool)
	if err != nil {
		return Overview{}, pg.Fault(err, nil)
	}
	today := r.clock.Now().UTC().Truncate(24 * time.Hour)
	spent, err := r.q.SpentByDay(ctx, r.pool, today.AddDate(0, 0, 1-days))
	if err != nil {
		return Overview{}, pg.Fault(err, nil)
	}
	byPlan := map[string]int64{}
	for _, s := range standings {
		switch s.Status {
		case subscription.Active:
			o.Active += s.Accounts
			byPlan[s.PlanID] = s.Accounts
		case subscription.Cancelled:
			o.Cancelled += s.Accounts
		case subscription.PastDue:
			o.PastDue += s.Accounts
		}
	}
	for _, p := range sold {
		o.Plans = append(o.Plans, Plan{Name: p.Name, Active: byPlan[p.ID]})
	}
	for _, day := range spent {
		o.Days = append(o.Days, Day{Start: day.Day.UTC(), Spent: day.Amount})
	}
	return o, nil
}
