package store_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

// statements keeps what a pool was asked.
type statements struct {
	mu    sync.Mutex
	asked []pgx.TraceQueryStartData
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, data)
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// take returns the statements since the last time.
func (s *statements) take() []pgx.TraceQueryStartData {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// TestListsOfManyTicketsUseTheirIndexes: with 100,000 tickets no list, export
// or statistic walks through the table.
func TestListsOfManyTicketsUseTheirIndexes(t *testing.T) {
	if testing.Short() {
		t.Skip("seeds 100,000 tickets, for of few PostgreSQL may well read the whole table: `make test-long`")
	}
	const (
		many           = 100_000
		mostCandidates = 50
		mostTexts      = 500 // a search finds no more
	)
	f := newFixture(t)
	pgtest.Seed(t, f.pool.Config().ConnString(), "testdata/seed.sql", many)
	f.converse(1)
	f.clock.Advance(time.Since(epoch))
	spy := &statements{}
	cfg := f.pool.Config()
	cfg.ConnConfig.Tracer = spy
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	watched := store.New(pool, f.clock, f.emails, store.Config{Deadline: 30 * time.Second})
	list := func(filter store.Filter, page int) func() error {
		return func() error { _, err := watched.List(t.Context(), filter, page, 50); return err }
	}
	candidates := regexp.MustCompile(`Bitmap Index Scan on ticket_search_grams \(actual rows=(\d+)`)
	walked := regexp.MustCompile(`(?s)Index Only Scan using tickets_newest on tickets p .*hashed SubPlan.*using ticket_search_pkey on ticket_search s \(actual rows=\S+ loops=(\d+)`)
	for _, tt := range []struct {
		what  string
		do    func() error
		index string
	}{
		{"the first page", list(store.Filter{}, 1), "tickets_newest"},
		{"the last page", list(store.Filter{}, many/50), "tickets_newest"},
		{"past the end", list(store.Filter{}, many/50+1), "tickets_newest"},
		{"a status", list(store.Filter{Status: ticket.Open}, 1), "tickets_newest"},
		{"every filter", list(store.Filter{Status: ticket.InProgress, Category: ticket.Bug, Priority: ticket.Urgent}, 2), "tickets_"},
		{"words that nobody wrote", list(store.Filter{Search: "unheardof"}, 1), "tickets_newest"},
		{"a number", list(store.Filter{Search: "TKT-004711"}, 1), "tickets_newest"},
		{"two rare letters", list(store.Filter{Search: "zq"}, 1), "tickets_newest"},
		{"a sign", list(store.Filter{Search: "%"}, 1), "tickets_newest"},
		{"words of one in eight", list(store.Filter{Search: "simulator"}, 1), "tickets_newest"},
		{"words that all tickets have and that never meet", list(store.Filter{Search: "since mac"}, 1), "tickets_newest"},
		{"those with filters", list(store.Filter{Search: "simulator", Status: ticket.InProgress, Category: ticket.Bug}, 1), "tickets_newest"},
		{"who waits", list(store.Filter{Queue: store.Waiting, Sort: store.Longest}, 1), "tickets_waiting_for_us"},
		{"mine", list(store.Filter{Queue: store.Mine, Caller: admin.ID}, 1), "tickets_assigned"},
		{"nobody's", list(store.Filter{Queue: store.Unassigned}, 1), "tickets_to_do"},
		{"a tag", list(store.Filter{Tag: "crash"}, 1), "tickets_"},
		{"an export", func() error { _, _, err := watched.Export(t.Context(), store.Filter{}, everything); return err }, "tickets_newest"},
		{"the statistics", func() error { _, err := watched.Stats(t.Context()); return err }, "tickets_waiting"},
	} {
		began := time.Now()
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.what, err)
		}
		took := time.Since(began)
		for i, asked := range statementsOf(spy.take()) {
			plan := explain(t, f.pool, asked)
			if isOfCandidates(asked) && !candidates.MatchString(plan) {
				t.Errorf("%s does not use the grams:\n%s", tt.what, plan)
			}
			for name, limit := range map[string]struct {
				read *regexp.Regexp
				most int
			}{"FindAmongCandidates": {candidates, mostCandidates}, "WalkCandidates": {walked, mostTexts}} {
				if !strings.Contains(asked.SQL, name) {
					continue
				}
				found := limit.read.FindStringSubmatch(plan)
				if found == nil {
					t.Errorf("%s is planned otherwise:\n%s", tt.what, plan)
				} else if read, _ := strconv.Atoi(found[1]); read > limit.most {
					t.Errorf("%s reads the texts of %d tickets:\n%s", tt.what, read, plan)
				}
			}
			if strings.Contains(plan, "Seq Scan on tickets") || (i == 0 && !strings.Contains(plan, tt.index)) {
				t.Errorf("%s does not use %s:\n%s\n%s", tt.what, tt.index, asked.SQL, plan)
			}
		}
		t.Logf("%-26s %v", tt.what, took.Round(100*time.Microsecond))
	}

	f.findsAmongMany(store.Filter{Search: "simulator", Status: ticket.InProgress, Category: ticket.Bug}, "subject LIKE '%simulator%' AND status = 'in_progress' AND category = 'bug'")
	f.findsAmongMany(store.Filter{Search: "simulator"}, "subject LIKE '%simulator%'")

	plans := pgtest.RecordPlans(t, f.pool.Config().ConnString())
	hot := store.New(plans.Pool, f.clock, f.emails, store.Config{Deadline: 30 * time.Second})
	var id, customer uuid.UUID
	errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT id, user_id FROM tickets LIMIT 1").Scan(&id, &customer))
	listed := store.New(plans.Values, f.clock, f.emails, store.Config{Deadline: 30 * time.Second})
	plans.Of("first page", func() error { _, err := listed.List(t.Context(), store.Filter{}, 1, 50); return err })
	plans.Of("a customer's tickets", func() error { _, _, err := hot.Mine(t.Context(), customer, everything, 10); return err })
	plans.Of("a ticket", func() error { _, _, err := hot.Get(t.Context(), id); return err })
	plans.Compare("testdata/plans.txt")
}

// findsAmongMany compares all pages of a search, which ends at 500, with the tickets of which the condition is true.
func (f *fixture) findsAmongMany(filter store.Filter, condition string) {
	f.t.Helper()
	rows, err := f.pool.Query(f.t.Context(), "SELECT 'TKT-' || lpad(number::text, 6, '0') FROM tickets WHERE "+condition+" ORDER BY created_at DESC, id DESC LIMIT 500")
	errtest.None(f.t, err)
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	errtest.None(f.t, err)
	var paged []string
	for page := 1; page <= 6; page++ {
		got, total := f.list(filter, page, 100)
		if total != int64(len(want)) {
			f.t.Errorf("%s: %d in all, want %d", condition, total, len(want))
		}
		paged = append(paged, got...)
	}
	if !slices.Equal(paged, want) {
		f.t.Errorf("%s: %d on pages, which are not the %d wanted", condition, len(paged), len(want))
	}
}

// statementsOf are those that have a plan.
func statementsOf(asked []pgx.TraceQueryStartData) []pgx.TraceQueryStartData {
	return slices.DeleteFunc(asked, func(a pgx.TraceQueryStartData) bool { return !strings.HasPrefix(a.SQL, "--") })
}

func isOfCandidates(asked pgx.TraceQueryStartData) bool {
	return strings.Contains(asked.SQL, "Candidates :")
}

// explain plans the statement as the store has it planned; a search it also runs.
func explain(t *testing.T, pool *pgxpool.Pool, asked pgx.TraceQueryStartData) string {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	errtest.None(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	how := "EXPLAIN "
	if isOfCandidates(asked) {
		how = "EXPLAIN (ANALYZE, COSTS off, TIMING off, BUFFERS off) "
		if _, err := tx.Exec(t.Context(), "SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '64MB'"); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.Query(t.Context(), how+asked.SQL, asked.Args...)
	errtest.None(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	errtest.None(t, err)
	return strings.Join(lines, "\n")
}
