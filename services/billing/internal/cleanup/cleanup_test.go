package cleanup_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/billing/internal/cleanup"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

const day = 24 * time.Hour

var kept = cleanup.Config{Events: 40 * day, Parked: 60 * day, Keys: 50 * day}

func open(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	return pool
}

func run(t *testing.T, pool *pgxpool.Pool, statement string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func cleaner(t *testing.T, pool *pgxpool.Pool, reg *prometheus.Registry) *cleanup.Cleaner {
	t.Helper()
	c, err := cleanup.New(pool, clock.System(), kept, reg)
	errtest.None(t, err)
	return c
}

// event adds one of a state that was received some days ago.
func event(t *testing.T, pool *pgxpool.Pool, state string, days int) {
	t.Helper()
	run(t, pool, `INSERT INTO stripe_events (id, type, object, livemode, created_at, received_at, state, reason)
		VALUES ($1::text || ' ' || $2::int, 'invoice.paid', 'in_1', false, now(), now() - make_interval(days => $2, mins => 1), $1, CASE $1::text WHEN 'parked' THEN 'unknown_price' ELSE '' END)`, state, days)
}

func TestWhatIsOfUseStays(t *testing.T) {
	t.Parallel()
	pool := open(t)
	for _, days := range []int{0, 39, 40, 60, 1000} {
		for _, state := range []string{"pending", "applied", "ignored", "wrong_mode", "parked"} {
			event(t, pool, state, days)
		}
	}
	const user = "00000000-0000-0000-0000-000000000001"
	run(t, pool, `INSERT INTO credit_accounts (user_id, updated_at) VALUES ($1, now())`, user)
	for _, days := range []int{0, 49, 50, 51} {
		run(t, pool, `INSERT INTO credit_keys VALUES ($1, $2, 'consume', 1, 'x', 0, ROW('done', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), now() - make_interval(days => $3, mins => 1))`, user, fmt.Sprint(days), days)
		run(t, pool, `INSERT INTO credit_holds (id, user_id, amount, description, grant_ids, parts, created_at, expires_at, ended_at, outcome, cost)
			VALUES (gen_random_uuid(), $1, 1, $2, '{1}', '{1}', now(), now(), now() - make_interval(days => $3, mins => 1), 'settled', 0)`, user, fmt.Sprint(days), days)
	}
	run(t, pool, `INSERT INTO credit_holds (id, user_id, amount, description, grant_ids, parts, created_at, expires_at)
		VALUES (gen_random_uuid(), $1, 1, 'open', '{1}', '{1}', now() - interval '1000 days', now() - interval '999 days')`, user)
	for _, days := range []int{0, 399, 401} {
		run(t, pool, `INSERT INTO notices VALUES ($1, $2, 'low', '{}', now(), now() - make_interval(days => $3))`, user, fmt.Sprint(days), days)
	}
	run(t, pool, `INSERT INTO notices VALUES ($1, 'open', 'low', '{}', now() - interval '1000 days')`, user)
	reg := prometheus.NewRegistry()
	c := cleaner(t, pool, reg)
	for range 2 {
		errtest.None(t, c.Clean(t.Context()))
	}
	for query, want := range map[string]string{
		`SELECT string_agg(id, ', ' ORDER BY state, received_at DESC) FROM stripe_events`: "applied 0, applied 39, ignored 0, ignored 39, parked 0, parked 39, parked 40, " +
			"pending 0, pending 39, pending 40, pending 60, pending 1000, wrong_mode 0, wrong_mode 39",
		`SELECT string_agg(key, ', ' ORDER BY created_at DESC) FROM credit_keys`:                   "0, 49",
		`SELECT string_agg(description, ', ' ORDER BY ended_at DESC NULLS LAST) FROM credit_holds`: "0, 49, open",
		`SELECT string_agg(key, ', ' ORDER BY ended_at DESC NULLS LAST) FROM notices`:              "0, 399, open",
		`SELECT count(*)::text FROM credit_accounts`:                                               "1",
	} {
		var got string
		if err := pool.QueryRow(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", query, got, err, want)
		}
	}
	const metrics = `
# HELP billing_cleanup_rows_total Old rows removed: events, parked_events, keys, holds, notices.
# TYPE billing_cleanup_rows_total counter
billing_cleanup_rows_total{kind="events"} 9
billing_cleanup_rows_total{kind="holds"} 2
billing_cleanup_rows_total{kind="keys"} 2
billing_cleanup_rows_total{kind="notices"} 1
billing_cleanup_rows_total{kind="parked_events"} 2
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(metrics), "billing_cleanup_rows_total"); err != nil {
		t.Error(err)
	}
}

// TestManyRowsGoInShortTransactions, whichever replica removes them.
func TestManyRowsGoInShortTransactions(t *testing.T) {
	t.Parallel()
	pool := open(t)
	run(t, pool, `INSERT INTO stripe_events (id, type, object, livemode, created_at, received_at, state)
		SELECT 'evt_' || n, 'invoice.paid', 'in_1', false, now(), now() - interval '41 days', 'applied' FROM generate_series(1, 1700) AS n`)
	var replicas sync.WaitGroup
	for range 3 {
		c := cleaner(t, pool, prometheus.NewRegistry())
		if !c.Task().Exclusive {
			t.Error("every replica cleans")
		}
		replicas.Go(func() {
			if err := c.Clean(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	replicas.Wait()
	errtest.None(t, cleaner(t, pool, prometheus.NewRegistry()).Clean(t.Context()))
	var left int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM stripe_events`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d left, %v", left, err)
	}
}
