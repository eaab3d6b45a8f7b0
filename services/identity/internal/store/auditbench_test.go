package store_test

import (
	"testing"
	"time"

	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/benchtest"
	"fledge.dev/services/platform/pgtest"
)

// BenchmarkAudit takes a page of 100 out of 100,000 entries of the audit log.
func BenchmarkAudit(b *testing.B) {
	f := newFixture(b)
	pgtest.Seed(b, f.pool.Config().ConnString(), "testdata/seed.sql", crowd)
	middle := &store.Cursor{CreatedAt: time.Now().Add(-45 * 24 * time.Hour)}
	const staff = "00000000-0000-4000-8000-000000000003"
	for _, bench := range []struct {
		name   string
		filter auditlog.Filter
		after  *store.Cursor
	}{
		{"first", auditlog.Filter{}, nil},
		{"middle", auditlog.Filter{}, middle},
		{"action", auditlog.Filter{Action: "user.roles_changed"}, middle},
		{"action-none", auditlog.Filter{Action: "release.rollout_changed"}, nil},
		{"actor", auditlog.Filter{Actor: staff}, middle},
		{"address", auditlog.Filter{Actor: "staff3@example.com"}, nil},
		{"actor-action-none", auditlog.Filter{Actor: staff, Action: "release.rollout_changed"}, nil},
		{"week", auditlog.Filter{From: time.Now().Add(-52 * 24 * time.Hour), To: time.Now().Add(-45 * 24 * time.Hour)}, nil},
		{"search-common", auditlog.Filter{Search: "mail.test"}, middle},
		{"search-rare", auditlog.Filter{Search: "abcd1"}, nil},
		{"search-short", auditlog.Filter{Search: "9"}, nil},
		{"search-none", auditlog.Filter{Search: "nobody-at-all"}, nil},
		{"search-all-filters", auditlog.Filter{Search: "mail", Action: "ticket.updated", Actor: "staff3@example.com"}, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			benchtest.P95(b, promised, func() error {
				_, err := f.AuditEntries(b.Context(), bench.filter, bench.after, store.MaxPage)
				return err
			})
		})
	}
}
