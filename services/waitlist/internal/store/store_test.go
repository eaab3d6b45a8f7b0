package store_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	words "fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

var epoch = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// patient is a configuration under which a slow test machine is not an outage.
var patient = store.Config{Deadline: 20 * time.Second, JoinBatch: 128, JoinQueue: 4096}

// fixture is a store on a database of its own; nobody sends its emails.
type fixture struct {
	*store.Store
	t       testing.TB
	pool    *pgxpool.Pool
	clock   *clock.Fake
	metrics *prometheus.Registry
	stop    func(context.Context) error
}

func newFixture(t testing.TB, cfg store.Config) *fixture {
	t.Helper()
	return fixtureOn(t, newDatabase(t), cfg)
}

func newDatabase(t testing.TB) (url string) {
	t.Helper()
	return pgtest.New(t, "waitlist_store", store.Migrate)
}

// fixtureOn starts a store on the database at url, as a replica would.
func fixtureOn(t testing.TB, url string, cfg store.Config) *fixture {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), url)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	return fixtureWith(t, pool, cfg)
}

// fixtureWith starts a store on a pool.
func fixtureWith(t testing.TB, pool *pgxpool.Pool, cfg store.Config) *fixture {
	t.Helper()
	f := &fixture{t: t, pool: pool, clock: clock.NewFake(epoch), metrics: prometheus.NewRegistry()}
	emails, err := mail.NewQueue(pool, mail.Config{SMTPAddr: "127.0.0.1:1", TLS: mail.TLSNone, Timeout: time.Second,
		From: "hello@fledge.example", ReplyTo: "support@fledge.example", RescueStuckJobsAfter: time.Minute},
		words.BuiltIn("https://fledge.example"), service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.SiteOrigin = "https://fledge.example"
	if cfg.IsAdmin == nil {
		cfg.IsAdmin = func(context.Context, uuid.UUID) (bool, error) { return true, nil }
	}
	f.Store = store.New(pool, f.clock, emails, cfg)
	if f.stop, err = f.Unit(f.metrics).Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.stop(context.Background()) })
	return f
}

// staff is the context of an admin's call. It outlives the test's own, for those
// that end it.
func (f *fixture) staff() context.Context { return audittest.As(context.Background()) }

// joined puts an address on the list and returns its entry.
func (f *fixture) joined(address string) entry.Entry {
	f.t.Helper()
	if _, err := f.Join(f.t.Context(), email(f.t, address), entry.HeroSection); err != nil {
		f.t.Fatal(err)
	}
	return f.find(address)
}

func (f *fixture) find(address string) entry.Entry {
	f.t.Helper()
	page, err := f.List(f.t.Context(), store.Filter{Search: address}, nil, 1)
	if err != nil || len(page.Entries) != 1 {
		f.t.Fatalf("looking for %s found %v, %v", address, page.Entries, err)
	}
	return page.Entries[0]
}

// emailed lists the versions of an entry of which an email is queued.
func (f *fixture) emailed(e entry.Entry) []int64 {
	f.t.Helper()
	rows, _ := f.pool.Query(f.t.Context(), `SELECT split_part(args->>'key', '/', 3)::bigint FROM mail.river_job
		WHERE args->>'key' LIKE 'waitlist-approved/' || $1::uuid || '/%' ORDER BY id`, e.ID) // the error comes with the rows
	versions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	errtest.None(f.t, err)
	return versions
}

func (f *fixture) count(table string) (n int) {
	f.t.Helper()
	errtest.None(f.t, f.pool.QueryRow(context.Background(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

func email(t testing.TB, address string) entry.Email {
	t.Helper()
	parsed, err := entry.ParseEmail(address)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return parsed
}
