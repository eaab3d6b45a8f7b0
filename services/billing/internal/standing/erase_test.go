package standing

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

// oneCustomer is a Stripe where an address has one customer with nothing. It counts what it is asked, and is away while
// it has a fault.
type oneCustomer struct {
	Stripe
	asked map[string]int
	fault error
}

func (s *oneCustomer) CustomersWith(context.Context, string, string) ([]string, error) {
	s.asked["customers"]++
	return []string{"cus_lost"}, nil
}

func (s *oneCustomer) OpenCheckouts(context.Context, string) ([]stripe.Checkout, error) {
	s.asked["checkouts"]++
	return nil, nil
}

func (s *oneCustomer) Subscriptions(context.Context, string) ([]stripe.Subscription, error) {
	s.asked["subscriptions"]++
	return nil, nil
}

func (s *oneCustomer) UnpaidInvoices(context.Context, string) ([]stripe.Invoice, error) {
	s.asked["invoices"]++
	return nil, nil
}

func (s *oneCustomer) DeleteCustomer(context.Context, string) error {
	s.asked["delete"]++
	return s.fault
}

// TestStripeIsAskedUntilAllHasEndedThere: an erasure is tried again and again while an event about the account waits
// to be published, and identity may begin it anew.
func TestStripeIsAskedUntilAllHasEndedThere(t *testing.T) {
	database := pgtest.New(t, "billing", func(ctx context.Context, url string) error {
		return errors.Join(store.Migrate(ctx, url), webhook.Migrate(ctx, url))
	})
	pool, err := pgxpool.New(t.Context(), database)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	log, api := slog.New(slog.DiscardHandler), &oneCustomer{asked: map[string]int{}}
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 20 * time.Second}, prometheus.NewRegistry(), log)
	errtest.None(t, err)
	service, err := New(api, nil, credits, clock.System(), prometheus.NewRegistry(), log)
	errtest.None(t, err)
	user := uuid.New()
	if _, err := pool.Exec(t.Context(), `INSERT INTO outbox (id, type, source, subject, payload) VALUES ($1, 'fledge.billing.v1.plan.changed', 'billing', $2, '')`,
		uuid.New(), user); err != nil {
		t.Fatal(err)
	}
	consumer := service.Consumers(pool)[0]
	deleted := func() bus.Event {
		return bus.Event{ID: uuid.New(), Type: erasure.Deleted, Time: time.Now(), Subject: user.String(),
			Payload: &eventsv1.UserDeleted{UserId: user.String(), Emails: []string{"somebody@example.com"}}}
	}
	try := func(ev bus.Event) error {
		return pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return consumer.Handle(t.Context(), tx, ev) })
	}
	asked := func(times int) {
		t.Helper()
		want := map[string]int{"customers": times, "checkouts": times, "subscriptions": times, "invoices": times, "delete": times}
		if !maps.Equal(api.asked, want) {
			t.Errorf("Stripe was asked %v, want %v", api.asked, want)
		}
	}

	first := deleted()
	api.fault = fault.New(fault.Unavailable, "stripe_away", "Stripe is away.")
	if err := try(first); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("while Stripe is away: %v", err)
	}
	asked(1) // and again, as it was not done
	api.fault = nil
	for range 3 {
		if err := try(first); !errors.Is(err, fault.Unavailable) {
			t.Fatalf("while an event waits: %v", err)
		}
		asked(2)
	}
	var kept int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM former_customers WHERE user_id = $1 AND customer_id = 'cus_lost'`, user).Scan(&kept); err != nil || kept != 1 {
		t.Errorf("%d customers were kept, error %v", kept, err)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE outbox SET stream_seq = 1`); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, try(first))
	asked(2)
	if err := try(deleted()); err != nil { // an erasure that is begun anew
		t.Fatal(err)
	}
	asked(2)
}
