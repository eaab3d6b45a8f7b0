package webhook

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

// settled are subscriptions of which a refund is of nothing that was sold here. It settles a warning, about which
// Stripe cannot be asked while it has a fault.
type settled struct {
	Subscriptions
	fault error
}

func (s *settled) Refunded(context.Context, string) error { return subscription.ErrForeign }

func (s *settled) Warned(context.Context, string) error { return nil }

func (s *settled) Suspected(context.Context, string) (bool, error) { return false, s.fault }

// TestAnEventIsTriedAgainUntilWhatItSettlesIsSettled, also one that needs nothing else.
func TestAnEventIsTriedAgainUntilWhatItSettlesIsSettled(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t, "billing", func(ctx context.Context, url string) error {
		return errors.Join(store.Migrate(ctx, url), Migrate(ctx, url))
	})
	pool, err := pgxpool.New(t.Context(), database)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `INSERT INTO stripe_events (id, type, object, livemode, created_at, received_at, state, reason, subscription_id) VALUES
		('evt_1', 'radar.early_fraud_warning.created', 'issfr_1', false, now(), now(), 'parked', $1, ''),
		('evt_2', 'charge.refunded', 'ch_1', false, now(), now(), 'pending', '', '')`, subscription.FraudWarning); err != nil {
		t.Fatal(err)
	}
	subscriptions := &settled{fault: fault.New(fault.Unavailable, "stripe_away", "Stripe is away.")}
	metrics, err := newMetrics(prometheus.NewRegistry())
	errtest.None(t, err)
	w := &worker{
		q: *db.New(), pool: pool, subscriptions: subscriptions, metrics: metrics, clock: clock.System(), log: slog.New(slog.DiscardHandler),
	}
	job := &river.Job[eventArgs]{JobRow: &rivertype.JobRow{Attempt: 1, MaxAttempts: 3}, Args: eventArgs{ID: "evt_2"}}
	is := func(id, want string) {
		t.Helper()
		var state string
		if err := pool.QueryRow(t.Context(), "SELECT state FROM stripe_events WHERE id = $1", id).Scan(&state); err != nil || state != want {
			t.Errorf("%s is %q, want %q: %v", id, state, want, err)
		}
	}
	if err := w.Work(t.Context(), job); !errors.Is(err, fault.Unavailable) {
		t.Errorf("while Stripe is away: %v", err)
	}
	is("evt_1", "parked")
	is("evt_2", "pending")
	subscriptions.fault = nil
	if err := w.Work(t.Context(), job); err != nil {
		t.Error(err)
	}
	is("evt_1", applied)
	is("evt_2", ignored)
}
