// Package cleanup deletes families and erasures that ended long ago, old codes, and entries of the audit log that are older than the installation keeps them.
package cleanup

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
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
	// Rows that one transaction removes: little enough to end in its deadline.
	batch = 500
)

// Removed counts rows.
type Removed struct {
	Families, Codes, FactorCodes, Erasures, AuditEntries int
}

// Before has the moments before which families and erasures ended that are old, and codes and
// entries of the audit log were made.
type Before struct {
	Families, Codes, FactorCodes, Erasures, AuditEntries time.Time
}

// Store removes old rows.
type Store interface {
	// RemoveOld removes at most limit rows of each kind.
	RemoveOld(ctx context.Context, before Before, limit int) (Removed, error)
}

// Cleaner removes old rows.
type Cleaner struct {
	store Store
	// keepAudit is how long an entry of the audit log is kept.
	keepAudit time.Duration
	clock     clock.Clock
	rows      *prometheus.CounterVec
}

// New returns a cleaner whose metrics are registered with reg. keepAudit is how long an entry
// of the audit log is kept.
func New(store Store, keepAudit time.Duration, clk clock.Clock, reg prometheus.Registerer) (*Cleaner, error) {
	c := &Cleaner{store: store, keepAudit: keepAudit, clock: clk, rows: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "identity_cleanup_rows_total", Help: "Old rows removed, by table.",
	}, []string{"table"})}
	return c, reg.Register(c.rows)
}

// Clean removes all that is old by now, in short transactions.
func (c *Cleaner) Clean(ctx context.Context) error {
	now := c.clock.Now()
	for {
		removed, err := c.store.RemoveOld(ctx, Before{
			Families: now.Add(-KeepFamilies), Codes: now.Add(-KeepCodes), FactorCodes: now.Add(-account.FactorCodesWithin),
			Erasures: now.Add(-KeepErasures), AuditEntries: now.Add(-c.keepAudit),
		}, batch)
		if err != nil {
			return err
		}
		c.rows.WithLabelValues("session_families").Add(float64(removed.Families))
		c.rows.WithLabelValues("hand_off_codes").Add(float64(removed.Codes))
		c.rows.WithLabelValues("second_factor_codes").Add(float64(removed.FactorCodes))
		c.rows.WithLabelValues("erasures").Add(float64(removed.Erasures))
		c.rows.WithLabelValues("audit_log").Add(float64(removed.AuditEntries))
		if max(removed.Families, removed.Codes, removed.FactorCodes, removed.Erasures, removed.AuditEntries) < batch {
			return nil
		}
	}
}

// Task cleans at the start and every hour.
func (c *Cleaner) Task() periodic.Task {
	return periodic.Task{Name: "cleanup", Every: interval, Timeout: timeout, Exclusive: true, Run: c.Clean}
}
