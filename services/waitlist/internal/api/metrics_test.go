package api_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/api"
	"fledge.dev/services/waitlist/internal/store"
)

// TestACallerWhoLeftIsNoOutage: without a database both sign-ups fail, and only one of them
// tells about the waitlist.
func TestACallerWhoLeftIsNoOutage(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/waitlist")
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	entries := store.New(pool, clock.System(), nil, store.Config{Deadline: 20 * time.Second, JoinBatch: 16, JoinQueue: 128})
	stop, err := entries.Unit(prometheus.NewRegistry()).Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	reg := prometheus.NewRegistry()
	server, err := api.NewServer(entries, clock.System(), reg, slog.New(slog.DiscardHandler))
	errtest.None(t, err)
	left, leave := context.WithCancel(t.Context())
	leave()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, ctx := range []context.Context{left, late} {
		if _, err := server.Join(ctx, &waitlistv1.JoinRequest{Email: "ada@example.com", Source: waitlistv1.Source_SOURCE_HERO_SECTION}); err == nil {
			t.Error("an address was signed up")
		}
	}
	const want = `
# HELP waitlist_signups_total Sign-ups by outcome: new, unconfirmed (an email asks for it), confirmed, known, invalid, unavailable, or canceled by a caller that left.
# TYPE waitlist_signups_total counter
waitlist_signups_total{outcome="canceled"} 1
waitlist_signups_total{outcome="confirmed"} 0
waitlist_signups_total{outcome="invalid"} 0
waitlist_signups_total{outcome="known"} 0
waitlist_signups_total{outcome="new"} 0
waitlist_signups_total{outcome="unavailable"} 1
waitlist_signups_total{outcome="unconfirmed"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
