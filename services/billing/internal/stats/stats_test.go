package stats_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

var now = time.Date(2026, 3, 15, 13, 0, 0, 0, time.UTC)

// asked remembers the statements that were sent.
type asked struct {
	mu   sync.Mutex
	sent []pgx.TraceQueryStartData
}

func (a *asked) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, data)
	return ctx
}

func (a *asked) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func open(t *testing.T) (*pgxpool.Pool, *asked, *stats.Reader) {
	t.Helper()
	return openAt(t, clock.NewFake(now))
}

func openAt(t *testing.T, clk clock.Clock) (*pgxpool.Pool, *asked, *stats.Reader) {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(pgtest.New(t, "billing", store.Migrate))
	errtest.None(t, err)
	sent := &asked{}
	cfg.ConnConfig.Tracer = sent
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	plans := plan.NewCatalog(pool, plan.Config{}, time.Minute)
	return pool, sent, stats.NewReader(pool, plans, clk, time.Minute, slog.New(slog.DiscardHandler))
}

func run(t *testing.T, pool *pgxpool.Pool, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := pool.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// people are n accounts that are somebody's customers and have credits.
func people(n int) []string {
	return []string{
		fmt.Sprintf(`INSERT INTO customers (user_id, customer_id, created_at)
			SELECT lpad(i::text, 32, '0')::uuid, 'cus_' || i, '2026-01-01' FROM generate_series(1, %d) AS i`, n),
		`INSERT INTO credit_accounts (user_id, updated_at) SELECT user_id, created_at FROM customers`,
	}
}

func subscribe(id string, user int, status, plan, created string) string {
	return fmt.Sprintf(`INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
		VALUES ('%s', lpad('%d', 32, '0')::uuid, 'x', '%s', '%s', 'price_1', '2026-03-01', '2026-04-01', '%s', now())`, id, user, status, plan, created)
}

func entry(user, number int, at, kind string, amount int) string {
	return fmt.Sprintf(`INSERT INTO credit_entries (user_id, number, "time", kind, amount, balance_after, description, grant_ids, parts)
		VALUES (lpad('%d', 32, '0')::uuid, %d, '%s', '%s', %d, 0, '', '{1}', '{1}')`, user, number, at, kind, amount)
}

func TestEachAccountCountsOnceAndEachDayIsThere(t *testing.T) {
	t.Parallel()
	pool, _, reader := open(t)
	empty, err := stats.NewReader(pool, plan.NewCatalog(pool, plan.Config{}, time.Minute), clock.NewFake(now), time.Minute, slog.New(slog.DiscardHandler)).Overview(t.Context())
	errtest.None(t, err)
	if len(empty.Days) != 30 || !slices.Equal(empty.Plans, []stats.Plan{{Name: "Pro"}, {Name: "Business"}, {Name: "Enterprise"}}) {
		t.Errorf("with nothing: %+v", empty)
	}
	run(t, pool, people(9)...)
	run(t, pool,
		subscribe("a1", 1, "active", "pro", "2026-01-01"), subscribe("a2", 1, "past_due", "business", "2026-02-01"), subscribe("a3", 1, "free", "pro", "2026-03-01"),
		subscribe("b1", 2, "active", "pro", "2026-01-01"), subscribe("b2", 2, "active", "business", "2026-02-01"),
		subscribe("c1", 3, "cancelled", "business", "2026-01-01"), subscribe("d1", 4, "past_due", "business", "2026-01-01"),
		subscribe("e1", 5, "free", "pro", "2026-01-01"), subscribe("f1", 6, "paused", "pro", "2026-01-01"), subscribe("g1", 7, "active", "pro", "2026-01-01"),
		subscribe("h2", 8, "active", "business", "2026-01-01"), subscribe("h1", 8, "active", "pro", "2026-01-01"),
		entry(1, 1, "2026-02-14 00:00:00Z", "grant", 5000), entry(1, 2, "2026-02-13 23:59:59Z", "consume", -1),
		entry(1, 3, "2026-02-14 00:00:00Z", "consume", -20), entry(2, 1, "2026-02-14 23:59:59Z", "consume", -5),
		entry(1, 4, "2026-03-15 12:00:00Z", "consume", -300), entry(1, 5, "2026-03-15 12:00:00Z", "expire", -4000),
	)
	got, err := reader.Overview(t.Context())
	errtest.None(t, err)
	if got.Active != 4 || got.Cancelled != 1 || got.PastDue != 1 {
		t.Errorf("%d active, %d cancelled, %d past due", got.Active, got.Cancelled, got.PastDue)
	}
	if want := []stats.Plan{{"Pro", 3}, {"Business", 1}, {"Enterprise", 0}}; !slices.Equal(got.Plans, want) {
		t.Errorf("plans %v, want %v", got.Plans, want)
	}
	for i, day := range got.Days {
		want := stats.Day{Start: time.Date(2026, 2, 14+i, 0, 0, 0, 0, time.UTC), Movement: map[int]stats.Movement{0: {Granted: 5000, Spent: 25}, 29: {Spent: 300, Expired: 4000}}[i]}
		if day != want {
			t.Errorf("day %d is %v, want %v", i, day, want)
		}
	}
}

// count is how often a statement was sent since it was last asked.
func (a *asked) count(name string) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.sent {
		if strings.HasPrefix(d.SQL, "-- name: "+name+" ") {
			n++
		}
	}
	a.sent = nil
	return n
}

// TestADayThatIsOverIsAddedUpOnce, an hour after its end: until then entries may come late.
func TestADayThatIsOverIsAddedUpOnce(t *testing.T) {
	t.Parallel()
	clk := clock.NewFake(now)
	pool, sent, reader := openAt(t, clk)
	run(t, pool, people(1)...)
	number := 0
	for _, step := range []struct {
		pass    time.Duration
		at      string
		sums    int
		onThe15 int64
	}{
		{0, "2026-03-15 12:59:00Z", 30, 1},
		{0, "2026-03-15 12:59:30Z", 1, 2},
		{11*time.Hour + 30*time.Minute, "2026-03-15 23:59:59Z", 2, 3},
		{29 * time.Minute, "2026-03-15 23:59:59Z", 2, 4},
		{time.Minute, "2026-03-15 23:59:59Z", 2, 5},
		{time.Minute, "2026-03-16 01:00:00Z", 1, 5},
	} {
		clk.Advance(step.pass)
		number++
		run(t, pool, entry(1, number, step.at, "consume", -1))
		got, err := reader.Overview(t.Context())
		if err != nil || len(got.Days) != 30 {
			t.Fatalf("%d days, %v", len(got.Days), err)
		}
		at := slices.IndexFunc(got.Days, func(d stats.Day) bool { return d.Start.Day() == 15 && d.Start.Month() == time.March })
		if sums := sent.count("MovedBetween"); sums != step.sums || got.Days[at].Spent != step.onThe15 {
			t.Errorf("%s: %d days were added up, %d spent on the 15th; want %d, %d", clk.Now(), sums, got.Days[at].Spent, step.sums, step.onThe15)
		}
	}
}

// TestSubscriptionsAreCountedThoughTheSumFails, whatever it is that keeps it from its table.
func TestSubscriptionsAreCountedThoughTheSumFails(t *testing.T) {
	t.Parallel()
	pool, _, reader := open(t)
	run(t, pool, people(1)...)
	run(t, pool, subscribe("a1", 1, "active", "pro", "2026-01-01"), `ALTER TABLE credit_entries RENAME TO credit_entries_away`)
	got, err := reader.Overview(t.Context())
	if err != nil || got.Active != 1 || got.Days != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOverviewIsFastWithMuchInIt: 100,000 rows of each, and neither statement reads
// the whole of its table, which says more than a time on a busy machine.
func TestOverviewIsFastWithMuchInIt(t *testing.T) {
	t.Parallel()
	pool, sent, reader := open(t)
	// Checking every row's account would take most of the test's time.
	run(t, pool,
		`ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_user_id_fkey, DROP CONSTRAINT subscriptions_plan_id_fkey`,
		`ALTER TABLE credit_entries DROP CONSTRAINT credit_entries_user_id_fkey`)
	run(t, pool, people(100_000)...)
	run(t, pool,
		`INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
		 SELECT 'sub_' || customer_id, user_id, 'x', (ARRAY['active', 'active', 'cancelled', 'past_due', 'free'])[1 + (hashtext(customer_id) & 3)],
			'pro', 'price_1', '2026-03-01', '2026-04-01', created_at, created_at FROM customers`,
		`INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
		 SELECT 'old_' || n || customer_id, user_id, 'canceled', 'free', 'pro', 'price_1', '2026-01-01', '2026-02-01', created_at, created_at
		 FROM customers, generate_series(1, 1) AS n`,
		`INSERT INTO credit_entries (user_id, number, "time", kind, amount, balance_after, description, grant_ids, parts)
		 SELECT lpad((1 + i % 1000)::text, 32, '0')::uuid, 1 + i / 1000, '2026-03-15'::timestamptz - (100000 - i) * interval '104 s', 'consume', -1, 0, 'Generated screen', '{1}', '{-1}'
		 FROM generate_series(0, 99999) AS i`,
		`VACUUM ANALYZE`)
	start := time.Now()
	got, err := reader.Overview(t.Context())
	errtest.None(t, err)
	t.Logf("took %s", time.Since(start))
	if sum := got.Active + got.Cancelled + got.PastDue; sum != 100_000 {
		t.Fatalf("%d accounts", sum)
	}
	for name, index := range map[string]string{"CountByStatus": "Index Only Scan using subscriptions_standing", "MovedBetween": "credit_entries_time"} {
		if shown := explain(t, pool, sent, name); !strings.Contains(shown, index) || strings.Contains(shown, "Seq Scan") {
			t.Errorf("%s does without %s:\n%s", name, index, shown)
		}
	}
}

func explain(t *testing.T, pool *pgxpool.Pool, sent *asked, name string) string {
	t.Helper()
	at := slices.IndexFunc(sent.sent, func(d pgx.TraceQueryStartData) bool { return strings.HasPrefix(d.SQL, "-- name: "+name+" ") })
	if at < 0 {
		t.Fatalf("%s was never asked", name)
	}
	_, statement, _ := strings.Cut(sent.sent[at].SQL, "\n")
	found, err := pool.Query(t.Context(), "EXPLAIN "+statement, sent.sent[at].Args...)
	errtest.None(t, err)
	rows, err := pgx.CollectRows(found, pgx.RowTo[string])
	errtest.None(t, err)
	return strings.Join(rows, "\n")
}
