// Package cleanup deletes families and erasures that ended long ago, old codes, and entries of the audit log that are older than the installation keeps them.
package cleanup

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/periodic"
)

const (
	// KeepFamilies is how long a family is kept after its end. Until then it records that
	// the browser's cookie was signed out; afterwards the sign-in is too old to open
	// another family (session.Lifetime), even if Kratos accepts the cookie.
	KeepFamilies = session.Lifetime
	// KeepCodes is how long a code stays, so that its second use is noticed.
	KeepCodes = 24 * time.Hour
	// KeepErasures is how long it is remembered that an account was erased: longer than any
	// event about it can be on its way.
	KeepErasures = 30 * 24 * time.Hour

	interval = time.Hour
	timeout  = 30 * time.Minute
)

// Cleaner removes old rows.
type Cleaner struct {
	pool *pgxpool.Pool
	q    *db.Queries
	// keepAudit is how long an entry of the audit log is kept.
	keepAudit time.Duration
	clock     clock.Clock
	rows      *prometheus.CounterVec
}

// New returns a cleaner of a migrated database whose metrics are registered with reg. keepAudit is how long an entry
// of the audit log is kept.
func New(pool *pgxpool.Pool, keepAudit time.Duration, clk clock.Clock, reg prometheus.Registerer) (*Cleaner, error) {
	c := &Cleaner{pool: pool, q: db.New(), keepAudit: keepAudit, clock: clk, rows: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "identity_cleanup_rows_total", Help: "Old rows removed, by table.",
	}, []string{"table"})}
	return c, reg.Register(c.rows)
}

// kinds has codes before families: those of a removed family go with it and are not counted.
func (c *Cleaner) kinds() []periodic.Kind {
	return []periodic.Kind{
		{Name: "hand_off_codes", Kept: KeepCodes, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteOldHandOffCodes(ctx, c.pool, db.DeleteOldHandOffCodesParams{Before: before, Count: count})
		}},
		{Name: "session_families", Kept: KeepFamilies, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteEndedFamilies(ctx, c.pool, db.DeleteEndedFamiliesParams{Before: before, Count: count})
		}},
		{Name: "second_factor_codes", Kept: account.FactorCodesWithin, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteOldSecondFactorCodes(ctx, c.pool, db.DeleteOldSecondFactorCodesParams{Before: before, Count: count})
		}},
		{Name: "erasures", Kept: KeepErasures, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
			return c.q.DeleteOldErasures(ctx, c.pool, db.DeleteOldErasuresParams{Before: before, Count: count})
		}},
		{Name: "audit_log", Kept: c.keepAudit, Remove: c.removeAuditEntries},
	}
}

func (c *Cleaner) removeAuditEntries(ctx context.Context, before time.Time, count int32) (removed int64, err error) {
	err = pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		if err := c.q.AllowAuditExpiry(ctx, tx); err != nil {
			return err
		}
		removed, err = c.q.DeleteOldAuditEntries(ctx, tx, db.DeleteOldAuditEntriesParams{Before: before, Count: count})
		return err
	})
	return removed, err
}

// Clean removes all that is old by now, in short transactions.
func (c *Cleaner) Clean(ctx context.Context) error {
	return periodic.Clean(ctx, c.clock.Now(), c.rows, c.kinds()...)
}

// Task cleans at the start and every hour.
func (c *Cleaner) Task() periodic.Task {
	return periodic.Task{Name: "cleanup", Every: interval, Timeout: timeout, Exclusive: true, Run: c.Clean}
}
