package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/benchtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// crowd is how many entries the lists are promised to be quick with.
const crowd = 100_000

func newCrowd(t testing.TB) *fixture {
	t.Helper()
	url := newDatabase(t)
	f := fixtureOn(t, url, patient)
	pgtest.Seed(t, url, "testdata/seed.sql", crowd)
	f.clock.Advance(time.Since(epoch)) // the seed's days end now
	return f
}

// BenchmarkList takes pages of 100 and an export's pieces of 5,000 out of 100,000
// entries, and counts them.
func BenchmarkList(b *testing.B) {
	f := newCrowd(b)
	middle := &store.Cursor{CreatedAt: time.Now().Add(-30 * 24 * time.Hour), ID: uuid.Max}
	for _, bench := range []struct {
		name   string
		filter store.Filter
		after  *store.Cursor
	}{
		{"first", store.Filter{}, nil},
		{"middle", store.Filter{}, middle},
		{"pending", store.Filter{Status: entry.Pending}, middle},
		{"rejected", store.Filter{Status: entry.Rejected}, nil},
		{"search-common", store.Filter{Search: "example.com"}, middle},
		{"search-common-rejected", store.Filter{Search: "example.com", Status: entry.Rejected}, nil},
		{"search-rare", store.Filter{Search: "ada.abc"}, nil},
		{"search-letters", store.Filter{Search: "büch"}, nil},
		{"search-short", store.Filter{Search: "9"}, middle},
		{"search-none", store.Filter{Search: "nobody-at-all"}, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			benchtest.P95(b, 200*time.Millisecond, func() error {
				_, err := f.List(b.Context(), bench.filter, bench.after, store.MaxPage)
				return err
			})
		})
	}
	b.Run("export", func(b *testing.B) {
		benchtest.P95(b, 200*time.Millisecond, func() error {
			_, err := f.List(b.Context(), store.Filter{Status: entry.Pending}, middle, store.MaxChunk)
			return err
		})
	})
	b.Run("stats", func(b *testing.B) {
		benchtest.P95(b, 300*time.Millisecond, func() error {
			_, err := f.Stats(b.Context())
			return err
		})
	})
}
