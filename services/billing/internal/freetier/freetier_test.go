package freetier_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/freetier"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

type fixture struct {
	t      *testing.T
	pool   *pgxpool.Pool
	clock  *clock.Fake
	ledger *ledger.Ledger
	tier   *freetier.Tier
}

func start(t *testing.T, at time.Time, credits int64) *fixture {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	f := &fixture{t: t, pool: pool, clock: clock.NewFake(at)}
	f.ledger, err = ledger.New(pool, f.clock, ledger.Config{Deadline: time.Minute}, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	errtest.None(t, err)
	f.tier = freetier.New(pool, f.ledger, f.clock, freetier.Config{MonthlyCredits: credits}, time.Minute)
	return f
}

// ask asks for the credits of an account, and returns them with the entries so far.
func (f *fixture) ask(user uuid.UUID) (balance, granted int64, entries string) {
	f.t.Helper()
	errtest.None(f.t, f.tier.Ensure(f.t.Context(), user))
	credits, _, err := f.ledger.Credits(f.t.Context(), user)
	errtest.None(f.t, err)
	err = f.pool.QueryRow(f.t.Context(), `SELECT coalesce(string_agg(kind || ' ' || amount, ', ' ORDER BY number), '') FROM credit_entries WHERE user_id = $1`, user).Scan(&entries)
	errtest.None(f.t, err)
	return credits.Balance, credits.Granted, entries
}

func TestEachCalendarMonthOnce(t *testing.T) {
	t.Parallel()
	f := start(t, time.Date(2026, 1, 31, 23, 59, 58, 0, time.UTC), 5)
	user := uuid.New()
	for range 3 {
		if balance, granted, entries := f.ask(user); balance != 500 || granted != 500 || entries != "grant 500" {
			t.Errorf("January: %d of %d, %s", balance, granted, entries)
		}
	}
	if _, err := f.ledger.Consume(t.Context(), ledger.Spend{UserID: user, Key: "k", Amount: 120, Description: "Screen"}); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Second) // the last of January
	f.ask(user)
	f.clock.Advance(time.Second)
	for range 3 {
		if balance, granted, entries := f.ask(user); balance != 500 || granted != 500 || entries != "grant 500, consume -120, expire -380, grant 500" {
			t.Errorf("February: %d of %d, %s", balance, granted, entries)
		}
	}
	f.clock.Advance(90 * 24 * time.Hour) // into May: who did not come got nothing
	if _, _, entries := f.ask(user); entries != "grant 500, consume -120, expire -380, grant 500, expire -500, grant 500" {
		t.Errorf("May: %s", entries)
	}
}

func TestManyRequestsGrantOnce(t *testing.T) {
	t.Parallel()
	f := start(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 5)
	user := uuid.New()
	var asking sync.WaitGroup
	for range 20 {
		asking.Go(func() {
			if err := f.tier.Ensure(t.Context(), user); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	if balance, _, entries := f.ask(user); balance != 500 || entries != "grant 500" {
		t.Errorf("%d, %s", balance, entries)
	}
}

func TestWhoSubscribesGetsNothingFree(t *testing.T) {
	t.Parallel()
	f := start(t, time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC), 5)
	for status, want := range map[string]string{"active": "", "cancelled": "", "past_due": "", "paused": "", "free": "grant 500"} {
		user := uuid.New()
		if _, err := f.pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, 'cus_' || $2, now())`, user, status); err != nil {
			t.Fatal(err)
		}
		if _, err := f.pool.Exec(t.Context(), `INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
			VALUES ('sub_' || $2, $1, 'x', $2, 'pro', 'price_1', now(), now(), now(), now())`, user, status); err != nil {
			t.Fatal(err)
		}
		if _, _, entries := f.ask(user); entries != want {
			t.Errorf("%s: %q, want %q", status, entries, want)
		}
	}
}

func TestNothingIsFreeByDefault(t *testing.T) {
	t.Parallel()
	f := start(t, time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC), 0)
	if _, _, entries := f.ask(uuid.New()); entries != "" {
		t.Errorf("got %s", entries)
	}
}
