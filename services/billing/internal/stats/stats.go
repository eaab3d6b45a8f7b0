// Package stats has billing's statistics for staff: subscriptions by plan and status,
// and credits spent by day.
package stats

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
)

// lastDays is how far back Overview.Days reaches.
const lastDays = 30

// settled is for how long after its end a day is still added up: a transaction may commit
// late, and a replica's clock may be slow.
const settled = time.Hour

// Overview is billing at one moment.
type Overview struct {
	// Active, Cancelled and PastDue count accounts by what they are shown.
	Active, Cancelled, PastDue int64
	// Cases is how many wait for a decision of staff's.
	Cases int64
	// Plans are all that are sold, the cheapest first.
	Plans []Plan
	// Days are the last 30, the oldest first, none left out; nil when they could not be
	// added up in time.
	Days []Day
}

// Plan is how many subscribe to one actively.
type Plan struct {
	Name   string
	Active int64
}

// Day is what all accounts' credits did on a day.
type Day struct {
	// Start is the day's first instant, in UTC.
	Start time.Time
	Movement
}

// Reader reads overviews. Safe for concurrent use.
type Reader struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	plans    *plan.Catalog
	clock    clock.Clock
	deadline time.Duration
	log      *slog.Logger

	mu sync.Mutex
	// past is what moved on days that are over and settled, by their start.
	past map[time.Time]Movement
}

// NewReader returns a reader of a migrated database.
func NewReader(pool *pgxpool.Pool, plans *plan.Catalog, clk clock.Clock, deadline time.Duration, log *slog.Logger) *Reader {
	return &Reader{pool: pool, q: db.New(), plans: plans, clock: clk, deadline: deadline, log: log, past: map[time.Time]Movement{}}
}

// Overview adds up. Unavailable when the accounts cannot be counted in time.
func (r *Reader) Overview(ctx context.Context) (o Overview, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.deadline)
	defer cancel()
	sold, err := r.plans.List(ctx)
	if err != nil {
		return Overview{}, err
	}
	counts, err := r.q.CountByStatus(ctx, r.pool)
	if err != nil {
		return Overview{}, pg.Fault(err, nil)
	}
	byPlan := map[string]int64{}
	for _, s := range counts {
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
	if o.Cases, err = r.q.CountCases(ctx, r.pool); err != nil {
		return Overview{}, pg.Fault(err, nil)
	}
	if o.Days, err = r.days(ctx); err != nil {
		r.log.WarnContext(ctx, "statistics of spent credits could not be read, the overview shows none", "error", err)
	}
	return o, nil
}

// days adds up day by day: each that is over is added up once, so that a first attempt
// which runs out of time leaves less to do for the next.
func (r *Reader) days(ctx context.Context) ([]Day, error) {
	now := r.clock.Now().UTC()
	first := now.Truncate(24*time.Hour).AddDate(0, 0, 1-lastDays)
	r.forget(first)
	list := make([]Day, lastDays)
	for i := range list {
		start := first.AddDate(0, 0, i)
		moved, err := r.movedOn(ctx, start, now)
		if err != nil {
			return nil, err
		}
		list[i] = Day{Start: start, Movement: moved}
	}
	return list, nil
}

func (r *Reader) movedOn(ctx context.Context, start, now time.Time) (Movement, error) {
	end := start.AddDate(0, 0, 1)
	if moved, ok := r.known(start); ok {
		return moved, nil
	}
	moved, err := r.Movement(ctx, start, end)
	if err == nil && now.Sub(end) >= settled {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.past[start] = moved
	}
	return moved, err
}

func (r *Reader) known(start time.Time) (moved Movement, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	moved, ok = r.past[start]
	return moved, ok
}

// forget drops the days before first.
func (r *Reader) forget(first time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.past, func(start time.Time, _ Movement) bool { return start.Before(first) })
}
