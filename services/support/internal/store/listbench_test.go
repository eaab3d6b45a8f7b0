package store_test

import (
	"testing"
	"time"

	"fledge.dev/services/platform/benchtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

// BenchmarkList takes pages of 100, an export's pieces and the statistics out of
// 100,000 tickets.
func BenchmarkList(b *testing.B) {
	const crowd = 100_000
	f := newFixture(b)
	pgtest.Seed(b, f.pool.Config().ConnString(), "testdata/seed.sql", crowd)
	f.clock.Advance(time.Since(epoch)) // the seed's days end now
	every := store.Filter{Status: ticket.InProgress, Category: ticket.Bug, Priority: ticket.Urgent}
	everyFound := every
	everyFound.Search = "reference"
	for _, bench := range []struct {
		name   string
		filter store.Filter
		page   int
	}{
		{"first", store.Filter{}, 1},
		{"last", store.Filter{}, crowd / store.MaxPage},
		{"past-the-end", store.Filter{}, crowd/store.MaxPage + 1},
		{"status", store.Filter{Status: ticket.Open}, 1},
		{"every-filter", every, 1},
		{"search-number", store.Filter{Search: "TKT-004711"}, 1},
		{"search-some", store.Filter{Search: "simulator"}, 1},
		{"search-some-last", store.Filter{Search: "simulator"}, 10},
		{"search-all", store.Filter{Search: "reference"}, 1},
		{"search-every-filter", everyFound, 1},
		{"search-short", store.Filter{Search: "9"}, 1},
		{"search-none", store.Filter{Search: "unheardof"}, 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			benchtest.P95(b, 200*time.Millisecond, func() error {
				_, err := f.List(b.Context(), bench.filter, bench.page, store.MaxPage)
				return err
			})
		})
	}
	b.Run("export", func(b *testing.B) {
		benchtest.P95(b, 200*time.Millisecond, func() error {
			_, _, err := f.Export(b.Context(), store.Filter{Status: ticket.Open}, everything)
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
