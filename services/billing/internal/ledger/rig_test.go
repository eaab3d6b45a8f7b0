package ledger_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/pgtest"
)

var epoch = time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)

// patient is a configuration under which a slow test machine is not an outage.
var patient = ledger.Config{Deadline: 30 * time.Second, LapseEvery: time.Hour, CheckEvery: time.Hour}

// fixture is a ledger on a database of its own.
type fixture struct {
	*ledger.Ledger
	t       testing.TB
	pool    *pgxpool.Pool
	clock   *clock.Fake
	metrics *prometheus.Registry
	logs    *logtest.Log
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return replica(t, newDatabase(t), 8)
}

func newDatabase(t testing.TB) (url string) {
	t.Helper()
	return pgtest.New(t, "billing_ledger", store.Migrate)
}

// replica is a ledger on the database at url, with a pool of its own.
func replica(t testing.TB, url string, conns int32) *fixture {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(url)
	errtest.None(t, err)
	cfg.MaxConns = conns
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	return on(t, pool)
}

// on is another ledger on a pool, with its own clock.
func on(t testing.TB, pool *pgxpool.Pool) *fixture {
	t.Helper()
	f := &fixture{t: t, pool: pool, clock: clock.NewFake(epoch), metrics: prometheus.NewRegistry(), logs: &logtest.Log{}}
	var err error
	f.Ledger, err = ledger.New(pool, f.clock, patient, f.metrics, slog.New(slog.NewTextHandler(f.logs, nil)))
	errtest.None(t, err)
	return f
}

// monthly is a grant of the subscription's period that begins at start.
func monthly(user uuid.UUID, fact string, amount int64, start time.Time) ledger.Grant {
	return ledger.Grant{
		UserID: user, Fact: user.String() + "/" + fact, Series: "sub_" + user.String(), Replaces: true, Reference: "in_1/il_1",
		Description: "Pro plan", Amount: amount, PeriodStart: start, PeriodEnd: start.AddDate(0, 0, 30),
	}
}

// inTx runs work in a transaction that commits.
func (f *fixture) inTx(work func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(context.Background(), f.pool, work)
}

// grant gives credits and reports whether the fact was new.
func (f *fixture) grant(g ledger.Grant) (isNew bool) {
	f.t.Helper()
	err := f.inTx(func(tx pgx.Tx) (err error) {
		isNew, err = f.Grant(context.Background(), tx, g)
		return err
	})
	errtest.None(f.t, err)
	return isNew
}

func (f *fixture) clawback(c ledger.Clawback) (got ledger.Clawed) {
	f.t.Helper()
	err := f.inTx(func(tx pgx.Tx) (err error) {
		got, err = f.Clawback(context.Background(), tx, c)
		return err
	})
	errtest.None(f.t, err)
	return got
}

// funded is a new account with a grant of this much for the period from now.
func (f *fixture) funded(amount int64) uuid.UUID {
	f.t.Helper()
	user := uuid.New()
	if !f.grant(monthly(user, "base", amount, f.clock.Now())) {
		f.t.Fatal("the first grant is not new")
	}
	return user
}

func (f *fixture) spend(user uuid.UUID, key string, amount int64) error {
	_, err := f.Consume(context.Background(), ledger.Spend{UserID: user, Key: key, Amount: amount, Description: "Generated screen"})
	return err
}

// hold sets credits aside under the key "h".
func (f *fixture) hold(user uuid.UUID, amount int64, lifetime time.Duration) ledger.Held {
	f.t.Helper()
	held, err := f.Hold(context.Background(), ledger.Spend{UserID: user, Key: "h", Amount: amount, Description: "Screen"}, lifetime)
	errtest.None(f.t, err)
	return held
}

// has fails unless the account's credits are these.
func (f *fixture) has(user uuid.UUID, balance, granted, used, held int64) {
	f.t.Helper()
	got, ok, err := f.Credits(context.Background(), user)
	got.PeriodEnd = time.Time{}
	if want := (ledger.Credits{Balance: balance, Granted: granted, Used: used, Held: held}); err != nil || !ok || got != want {
		f.t.Errorf("credits are %+v, %t, %v; want %+v", got, ok, err, want)
	}
	f.addsUp(user)
}

// addsUp fails unless the account is what its entries, grants and holds make.
func (f *fixture) addsUp(user uuid.UUID) {
	f.t.Helper()
	// The page after the id just before begins with the account itself.
	before := user
	for i := len(before) - 1; i >= 0; i-- {
		if before[i]--; before[i] != 0xff {
			break
		}
	}
	rows, err := db.New().CheckAccounts(context.Background(), f.pool, db.CheckAccountsParams{After: before, PageSize: 1})
	if err != nil || len(rows) != 1 || rows[0].UserID != user || rows[0].Problem != "" {
		f.t.Errorf("the account does not add up: %v, %v", rows, err)
	}
}

// entries are the account's kinds and amounts, oldest first.
func (f *fixture) entries(user uuid.UUID) (list []string) {
	f.t.Helper()
	rows, err := f.pool.Query(context.Background(), `SELECT kind || ' ' || amount FROM credit_entries WHERE user_id = $1 ORDER BY number`, user)
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	errtest.None(f.t, err)
	return list
}

func (f *fixture) count(query string, args ...any) (n int) {
	f.t.Helper()
	errtest.None(f.t, f.pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// metric is the value of a counter or gauge whose label has this value, if any.
func (f *fixture) metric(name, label string) float64 {
	f.t.Helper()
	families, err := f.metrics.Gather()
	errtest.None(f.t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && (len(m.GetLabel()) == 0 || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	f.t.Fatalf("no metric %s %s", name, label)
	return 0
}
