// Package cleanup deletes what is no longer needed: Stripe events that were finished
// long ago, and the keys and holds of old spends, and what people were told.
package cleanup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/periodic"
)

const (
	// Least is the shortest retention. The reconciliation compares the events of 29 days
	// and would take a deleted one for lost; the database refuses to delete a younger key.
	Least = 31 * 24 * time.Hour

	interval = time.Hour
	timeout  = 30 * time.Minute
	// notices outlive the longest period: what was told of it is not told again.
	notices = 400 * 24 * time.Hour
)

// Config is how long rows are kept.
type Config struct {
	// Events is for finished ones of Stripe's, from when they were received; pending ones
	// are never deleted.
	Events time.Duration `env:"STRIPE_EVENT_RETENTION" envDefault:"2160h"`
	// Parked is for parked events.
	Parked time.Duration `env:"PARKED_EVENT_RETENTION" envDefault:"8760h"`
	// Keys is for the idempotency keys of spends, and for holds since they ended.
	Keys time.Duration `env:"CREDIT_KEY_RETENTION" envDefault:"2160h"`
}

// Validate checks that nothing is deleted while it is needed.
func (c Config) Validate() error {
	var errs []error
	for name, kept := range map[string]time.Duration{
		"STRIPE_EVENT_RETENTION": c.Events, "PARKED_EVENT_RETENTION": c.Parked, "CREDIT_KEY_RETENTION": c.Keys,
	} {
		if kept < Least {
			errs = append(errs, fmt.Errorf("%s: must be at least %s", name, Least))
		}
	}
	return errors.Join(errs...)
}

// Cleaner removes old rows.
type Cleaner struct {
	pool  *pgxpool.Pool
	q     *db.Queries
	clock clock.Clock
	cfg   Config
	rows  *prometheus.CounterVec
}

// New returns a cleaner of a migrated database whose metrics are registered with reg.
func New(pool *pgxpool.Pool, clk clock.Clock, cfg Config, reg prometheus.Registerer) (*Cleaner, error) {
	c := &Cleaner{pool: pool, q: db.New(), clock: clk, cfg: cfg, rows: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "billing_cleanup_rows_total", Help: "Old rows removed: events, parked_events, keys, holds, notices.",
	}, []string{"kind"})}
	for _, k := range c.kinds() {
		c.rows.WithLabelValues(k.Name)
	}
	return c, reg.Register(c.rows)
}

func (c *Cleaner) kinds() []periodic.Kind {
	return []periodic.Kind{
		{Name: "events", Kept: c.cfg.Events, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteFinishedEvents(ctx, c.pool, db.DeleteFinishedEventsParams{Before: before, Count: count})
		}},
		{Name: "parked_events", Kept: c.cfg.Parked, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteParkedEvents(ctx, c.pool, db.DeleteParkedEventsParams{Before: before, Count: count})
		}},
		{Name: "keys", Kept: c.cfg.Keys, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteOldKeys(ctx, c.pool, db.DeleteOldKeysParams{Before: before, Count: count})
		}},
		{Name: "notices", Kept: notices, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteOldNotices(ctx, c.pool, db.DeleteOldNoticesParams{Before: before, Count: count})
		}},
		{Name: "holds", Kept: c.cfg.Keys, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteEndedHolds(ctx, c.pool, db.DeleteEndedHoldsParams{Before: before, Count: count})
		}},
	}
}

// Clean deletes everything that is past its retention, with short statements.
func (c *Cleaner) Clean(ctx context.Context) error {
	return periodic.Clean(ctx, c.clock.Now(), c.rows, c.kinds()...)
}

// Task cleans at the start and every hour.
func (c *Cleaner) Task() periodic.Task {
	return periodic.Task{Name: "cleanup", Every: interval, Timeout: timeout, Exclusive: true, Run: c.Clean}
}
