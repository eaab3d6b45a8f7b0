// Package cleanup deletes families that ended long ago, and old hand-off codes.
package cleanup

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
)

const (
	// KeepFamilies is how long a family is kept after its end. Until then it records that
	// the browser's cookie was signed out; afterwards the sign-in is too old to open
	// another family (session.Lifetime), even if Kratos accepts the cookie.
	KeepFamilies = session.Lifetime
	// KeepCodes is how long a code stays, so that its second use is noticed.
	KeepCodes = 24 * time.Hour

	interval = time.Hour
	// Rows that one transaction removes: little enough to end in its deadline.
	batch = 500
)

// Removed counts rows.
type Removed struct {
	Families, Codes int
}

// Store removes old rows.
type Store interface {
	// RemoveOld removes at most limit families that ended before families, and as
	// many codes that were created before codes. ok is false when another replica
	// is doing so.
	RemoveOld(ctx context.Context, families, codes time.Time, limit int) (r Removed, ok bool, err error)
}

// Cleaner removes old rows every hour, one replica at a time.
type Cleaner struct {
	store Store
	clock clock.Clock
	log   *slog.Logger
	turns *prometheus.CounterVec
	rows  *prometheus.CounterVec
}

// New returns a cleaner whose metrics are registered with reg.
func New(store Store, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Cleaner, error) {
	c := &Cleaner{
		store: store, clock: clk, log: log,
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_cleanup_turns_total", Help: "Turns at removing old rows, by outcome (done, elsewhere, failed).",
		}, []string{"outcome"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_cleanup_rows_total", Help: "Old rows removed, by table.",
		}, []string{"table"}),
	}
	for _, collector := range []prometheus.Collector{c.turns, c.rows} {
		if err := reg.Register(collector); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Clean removes all that is old by now, in short transactions.
func (c *Cleaner) Clean(ctx context.Context) error {
	now := c.clock.Now()
	for {
		removed, ok, err := c.store.RemoveOld(ctx, now.Add(-KeepFamilies), now.Add(-KeepCodes), batch)
		switch {
		case err != nil:
			c.turns.WithLabelValues("failed").Inc()
			return err
		case !ok:
			c.turns.WithLabelValues("elsewhere").Inc()
			return nil
		}
		c.rows.WithLabelValues("session_families").Add(float64(removed.Families))
		c.rows.WithLabelValues("hand_off_codes").Add(float64(removed.Codes))
		if removed.Families < batch && removed.Codes < batch {
			c.turns.WithLabelValues("done").Inc()
			return nil
		}
	}
}

// Unit cleans at the start and every hour. It starts whether or not the database
// answers.
func (c *Cleaner) Unit() service.Unit {
	return service.Background("cleanup", func(ctx context.Context) { service.Every(ctx, interval, c.turn) })
}

func (c *Cleaner) turn(ctx context.Context) {
	if err := c.Clean(ctx); err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "old rows were not removed", "error", err)
	}
}
