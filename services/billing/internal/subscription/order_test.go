package subscription

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pgtest"
)

// scripted is a Stripe that answers as a test says.
type scripted struct {
	Stripe
	subscription func() stripe.Subscription
	meanwhile    func()
}

func (s *scripted) Subscription(context.Context, string) (stripe.Subscription, error) {
	return s.subscription(), nil
}

func (s *scripted) PaidInvoices(context.Context, string) ([]stripe.Invoice, error) {
	if s.meanwhile != nil {
		once := s.meanwhile
		s.meanwhile = nil
		once()
	}
	return nil, nil
}

// TestWhatIsOlderNeverOverwritesWhatIsNewer lets something newer be applied while
// what is older is still on its way from Stripe.
func TestWhatIsOlderNeverOverwritesWhatIsNewer(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing_order", store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	cfg := plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{Pro: plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}}}
	log := slog.New(slog.DiscardHandler)
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 30 * time.Second}, prometheus.NewRegistry(), log)
	if err != nil {
		t.Fatal(err)
	}
	status := "active"
	api := &scripted{subscription: func() stripe.Subscription {
		return stripe.Subscription{
			ID: "sub_1", CustomerID: "cus_1", Status: status, ItemID: "si_1", PriceID: "price_pro", Quantity: 1, Items: 1,
			PeriodStart: first, PeriodEnd: second, Created: first,
		}
	}}
	keeper := NewKeeper(pool, api, plan.NewCatalog(pool, cfg, 30*time.Second), credits, clock.System(), Config{Deadline: 30 * time.Second}, log)
	user := uuid.New()
	if _, err := keeper.Bind(t.Context(), user, "cus_1"); err != nil {
		t.Fatal(err)
	}
	sync := func() {
		if err := keeper.Sync(t.Context(), "sub_1"); err != nil {
			t.Error(err)
		}
	}
	sync()
	api.meanwhile = func() {
		status = "past_due"
		sync()
	}
	sync()
	if got, ok, err := keeper.Current(t.Context(), user); err != nil || !ok || got.Status != "past_due" {
		t.Errorf("the account is shown %q, %t, %v; want what Stripe said last", got.Status, ok, err)
	}
}
