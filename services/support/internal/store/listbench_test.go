package store_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"fledge.dev/services/platform/benchtest"
	"fledge.dev/services/platform/errtest"
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

// BenchmarkSearch searches 100,000 tickets with a million messages, which take some minutes to
// make; with -short a tenth of them. Its times are only reported: what it promises, that the index is read and
// only what it finds, TestListsOfManyTicketsUseTheirIndexes asserts.
func BenchmarkSearch(b *testing.B) {
	crowd := 100_000
	if testing.Short() {
		crowd /= 10
	}
	f := newFixture(b)
	pgtest.Seed(b, f.pool.Config().ConnString(), "testdata/seed.sql", crowd)
	f.converse(10)
	for _, bench := range []struct {
		name   string
		filter store.Filter
		page   int
	}{
		{"number", store.Filter{Search: "TKT-004711"}, 1},
		{"one-letter", store.Filter{Search: "e"}, 1},
		{"two-rare-letters", store.Filter{Search: "zq"}, 1},
		{"sign", store.Filter{Search: "%"}, 1},
		{"nobody-wrote", store.Filter{Search: "unheardof"}, 1},
		{"one-ticket", store.Filter{Search: "Reference 1a2b3"}, 1},
		{"one-in-a-hundred", store.Filter{Search: "возврат"}, 1},
		{"one-in-eight", store.Filter{Search: "simulator"}, 1},
		{"one-in-eight-last", store.Filter{Search: "simulator"}, 10},
		{"every-ticket", store.Filter{Search: "reference"}, 1},
		{"words-that-never-meet", store.Filter{Search: "looked us"}, 1},
		{"with-filters", store.Filter{Search: "simulator", Status: ticket.InProgress, Category: ticket.Bug}, 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			benchtest.Times(b, func() error {
				_, err := f.List(b.Context(), bench.filter, bench.page, 50)
				return err
			})
		})
	}
	b.Run("index-again", func(b *testing.B) {
		for b.Loop() {
			f.exec("TRUNCATE ticket_search")
			errtest.None(b, f.IndexOutdated(b.Context()))
		}
		b.ReportMetric(float64(crowd)*float64(b.N)/b.Elapsed().Seconds(), "tickets/s")
	})
}

// converse adds messages to all tickets, some of them in Russian, and makes them searchable.
func (f *fixture) converse(each int) {
	f.t.Helper()
	for _, sql := range []string{
		`INSERT INTO ticket_messages (id, ticket_id, author, author_id, author_email, body, created_at)
			SELECT gen_random_uuid(), id, 'staff', md5('seeded staff')::uuid, 'staff@seed.example',
				CASE WHEN (number * 7 + n) % 1000 = 0 THEN 'Прошу возврат денег за прошлый месяц.' WHEN (number * 7 + n) % 100000 = 1 THEN 'It says zq, 5% of the time.'
				ELSE 'Please send us the log ' || substr(md5(number || ' ' || n), 1, 10) || '. We have looked at the project, and the build settings look right from here; which step fails?' END,
				updated_at
			FROM tickets, generate_series(2, $1) n`,
		"DROP INDEX ticket_search_grams",
	} {
		args := []any{each}[:strings.Count(sql, "$1")]
		f.exec(sql, args...)
	}
	var indexing errgroup.Group
	for range 2 {
		indexing.Go(func() error { return f.IndexOutdated(f.t.Context()) })
	}
	errtest.None(f.t, indexing.Wait())
	f.exec("SET maintenance_work_mem = '512MB'; CREATE INDEX ticket_search_grams ON ticket_search USING gin (grams) WITH (fastupdate = off)")
	f.exec("VACUUM ANALYZE")
}
