package subscription

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// scripted is a Stripe that answers as a test says.
type scripted struct {
	Stripe
	subscription func() stripe.Subscription
	meanwhile    func()
	// paid are the invoices that were paid.
	paid []stripe.Invoice
	// sold is the only checkout for a pack.
	sold stripe.Checkout
	// of is the invoice that the charge has paid; "" for the only one.
	of string
	// open are those that wait for their payment.
	open       []stripe.Invoice
	processing bool
	// refund is the state of the refund of the only charge, from when it is known to
	// when the answer is heard.
	refund string
	heard  func()
	// dispute is the state of its dispute, and decided what happens while the answer
	// to the second question is on its way.
	dispute string
	// moved is what the dispute has cost, below zero.
	moved   int64
	asked   int
	decided func()
	// parts are the charges that have paid an invoice in parts, by its id.
	parts map[string][]stripe.Charge
	// cancelled and stopped count; cancel is what the former does.
	cancelled, stopped int
	cancel             func()
}

func (s *scripted) ChargesOf(_ context.Context, invoice string) ([]stripe.Charge, error) {
	return s.parts[invoice], nil
}

func (s *scripted) DisputesOf(context.Context, string) ([]stripe.Dispute, error) { return nil, nil }

func (s *scripted) Charge(_ context.Context, id string) (stripe.Charge, error) {
	for _, parts := range s.parts {
		for _, part := range parts {
			if part.ID == id {
				return part, nil
			}
		}
	}
	charge := stripe.Charge{ID: id, IntentID: "pi_1", Amount: 2500, Refunds: []stripe.Refund{{ID: "re_1", Amount: 500, Status: s.refund}}}
	if s.heard != nil {
		once := s.heard
		s.heard = nil
		once()
	}
	return charge, nil
}

func (s *scripted) Dispute(_ context.Context, id string) (stripe.Dispute, error) {
	dispute := stripe.Dispute{ID: id, ChargeID: "ch_1", Amount: 2500, Status: s.dispute, Moved: s.moved}
	if s.asked++; s.asked == 2 && s.decided != nil {
		s.decided()
	}
	return dispute, nil
}

func (s *scripted) InvoicesOfPayment(context.Context, string) ([]stripe.Invoice, error) {
	return slices.DeleteFunc(slices.Clone(s.paid), func(i stripe.Invoice) bool { return s.of != "" && i.ID != s.of }), nil
}

// CheckoutOfPayment knows none: no pack is sold here.
func (s *scripted) CheckoutOfPayment(context.Context, string) (_ stripe.Checkout, ok bool, err error) {
	return stripe.Checkout{}, false, nil
}

func (s *scripted) Subscription(context.Context, string) (stripe.Subscription, error) {
	return s.subscription(), nil
}

func (s *scripted) PaymentProcessing(context.Context, string) (bool, error) {
	return s.processing, nil
}

func (s *scripted) OpenInvoices(context.Context, string) ([]stripe.Invoice, error) {
	return s.open, nil
}

func (s *scripted) PaidInvoices(context.Context, string) ([]stripe.Invoice, error) {
	if s.meanwhile != nil {
		once := s.meanwhile
		s.meanwhile = nil
		once()
	}
	return s.paid, nil
}

// shop is a service on a database of its own, with an account that has "sub_1",
// which has been read once.
type shop struct {
	*Service
	*testing.T
	api  *scripted
	user uuid.UUID
	// status is what Stripe says of it.
	status string
	// invoice is its latest.
	invoice string
}

func newShop(t *testing.T) *shop {
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing_order", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	cfg := plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{
		Pro: plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}, Business: plan.Offer{ProductID: "prod_business", PriceID: "price_business"},
		Packs: plan.Packs{"price_pack": 10},
	}}
	log := slog.New(slog.DiscardHandler)
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 30 * time.Second}, prometheus.NewRegistry(), log)
	errtest.None(t, err)
	s := &shop{T: t, user: uuid.New(), status: "active"}
	s.api = &scripted{subscription: func() stripe.Subscription {
		return stripe.Subscription{
			ID: "sub_1", CustomerID: "cus_1", Status: s.status, ItemID: "si_1", PriceID: "price_pro", Quantity: 1, Items: 1,
			PeriodStart: first, PeriodEnd: second, Created: first, InvoiceID: s.invoice,
		}
	}}
	s.Service = New(pool, s.api, nil, plan.NewCatalog(pool, cfg, 30*time.Second), credits, nil, clock.System(), Config{Deadline: 30 * time.Second}, log)
	if _, err := s.Bind(t.Context(), s.user, "cus_1"); err != nil {
		t.Fatal(err)
	}
	s.apply()
	return s
}

func (s *shop) apply() {
	s.Helper()
	if err := s.Sync(s.Context(), "sub_1"); err != nil {
		s.Error(err)
	}
}

func (s *shop) isShown(status string) {
	s.Helper()
	if got, ok, err := s.Current(s.Context(), s.user); err != nil || !ok || got.Status != status {
		s.Errorf("the account is shown %q, %t, %v; want what Stripe said last, %q", got.Status, ok, err, status)
	}
}

// TestWhatIsOlderNeverOverwritesWhatIsNewer lets something newer be applied while
// what is older is still on its way from Stripe.
func TestWhatIsOlderNeverOverwritesWhatIsNewer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.api.meanwhile = func() {
		s.status = "past_due"
		s.apply()
	}
	s.apply()
	s.isShown("past_due")
}

// TestARefundThatHasFailedTakesNothing, although Stripe's word that it had succeeded is
// on its way for so long that its failure is applied before.
func TestARefundThatHasFailedTakesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.pays()
	s.api.refund = "succeeded"
	refunded := func() {
		if err := s.Refunded(t.Context(), "ch_1"); err != nil {
			t.Error(err)
		}
	}
	s.api.heard = func() {
		s.api.refund = "failed"
		refunded()
	}
	refunded()
	refunded()
	s.has(5000)
}

// TestTheLastDecisionOfADisputeCounts, although the one before is on its way for so long
// that the last is applied before.
func TestTheLastDecisionOfADisputeCounts(t *testing.T) {
	t.Parallel()
	for decision, left := range map[string]int64{"won": 5000, "lost": 0} {
		s := newShop(t)
		s.pays()
		disputed := func() {
			if err := s.Disputed(t.Context(), "du_1"); err != nil {
				t.Error(err)
			}
		}
		s.api.dispute = map[string]string{"won": "lost", "lost": "won"}[decision]
		s.api.decided = func() {
			s.api.dispute = decision
			disputed()
		}
		disputed()
		s.has(left)
	}
}

// pays has the shop's subscription paid for at Stripe.
func (s *shop) pays() {
	start := time.Now().Truncate(time.Second)
	bought := bill("in_1", "subscription_create", start, month("price_pro", start, start.AddDate(0, 1, 0)))
	bought.SubscriptionID = "sub_1"
	s.api.paid = []stripe.Invoice{bought}
}

func (s *shop) has(want int64) {
	s.Helper()
	if credits, _, err := s.ledger.Credits(s.Context(), s.user); err != nil || credits.Balance != want {
		s.Errorf("credits %+v, %v; want %d left", credits, err, want)
	}
}

// TestWhatIsOlderWaitsForWhatIsBeingApplied has what is older arrive while what is
// newer has been written and is not committed.
func TestWhatIsOlderWaitsForWhatIsBeingApplied(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	newer := make(chan error, 1)
	s.api.meanwhile = func() {
		s.status = "past_due"
		written := make(chan struct{})
		done := sync.OnceFunc(func() { close(written) })
		go func() {
			defer done()
			newer <- s.sync(t.Context(), "sub_1", "", func(context.Context) (more, error) {
				return func(ctx context.Context, _ pgx.Tx, _ reading) error {
					done()
					return s.somebodyWaits(ctx)
				}, nil
			})
		}()
		<-written
	}
	s.apply()
	errtest.None(t, <-newer)
	s.isShown("past_due")
}

// somebodyWaits returns when somebody waits for a lock in the database.
func (s *shop) somebodyWaits(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for waits := false; !waits; {
		err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
		if err != nil {
			return err
		}
	}
	return nil
}

// TestAFirstPaymentOnItsWayIsNoPlanYet, whatever Stripe calls the subscription, and one that failed
// is none at all. Of a renewal, the plan goes on.
func TestAFirstPaymentOnItsWayIsNoPlanYet(t *testing.T) {
	t.Parallel()
	s, since := newShop(t), time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	open := []stripe.Invoice{{ID: "in_1", Currency: "usd", Due: 2500, Created: since}}
	for _, tc := range []struct {
		status     string
		processing bool
		paid       []stripe.Invoice
		shown      string
	}{
		{"incomplete", true, nil, Processing}, {"active", true, nil, Processing}, {"past_due", true, nil, Processing},
		{"incomplete", false, nil, ""}, {"active", false, nil, Active}, {"past_due", false, nil, PastDue},
		{"active", true, []stripe.Invoice{{ID: "in_0", Created: since}}, Active}, {"past_due", true, []stripe.Invoice{{ID: "in_0", Created: since}}, PastDue},
	} {
		s.status, s.invoice, s.api.open, s.api.processing, s.api.paid = tc.status, "in_1", open, tc.processing, tc.paid
		s.apply()
		got, _, err := s.Current(t.Context(), s.user)
		if err != nil || got.Status != tc.shown || (got.Due != nil && got.Due.Processing) != tc.processing {
			t.Errorf("%+v: shows %q, %+v, %v", tc, got.Status, got.Due, err)
		}
	}
	someones := s.api.subscription
	s.api.subscription = func() stripe.Subscription {
		sold := someones()
		sold.UserID = s.user.String()
		return sold
	}
	s.status, s.api.processing, s.api.paid = "past_due", false, nil
	s.apply()
	if got, ok, err := s.Current(t.Context(), s.user); ok || err != nil {
		t.Errorf("a first payment that came back shows %q, %v", got.Status, err)
	}
	s.api.paid = []stripe.Invoice{{ID: "in_0", Created: since}}
	s.apply()
	s.isShown(PastDue)
}

// TestWhatATrialCostsThen is what is charged at its end: of the plan that it changes to, and nothing
// where it ends.
func TestWhatATrialCostsThen(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	business, _, err := s.plans.ByID(t.Context(), "business")
	errtest.None(t, err)
	pro, dearer := &Price{2100, "eur"}, &Price{business.PriceMonthly, "usd"}
	to := func(at time.Time) func(*stripe.Subscription) {
		return func(sub *stripe.Subscription) {
			sub.NextPriceID, sub.NextProductID, sub.NextInterval, sub.NextAt = "price_business", "prod_business", plan.Month, at
		}
	}
	sold := s.api.subscription()
	sold.Status, sold.Interval, sold.PeriodAmount, sold.Currency = "trialing", plan.Month, 2100, "eur"
	for name, tc := range map[string]struct {
		change func(*stripe.Subscription)
		want   *Price
	}{
		"goes on":                   {func(*stripe.Subscription) {}, pro},
		"goes on by the year":       {func(sub *stripe.Subscription) { sub.Interval = plan.Year }, pro},
		"is over":                   {func(sub *stripe.Subscription) { sub.Status = "active" }, nil},
		"ends":                      {func(sub *stripe.Subscription) { sub.CancelAtPeriodEnd = true }, nil},
		"changes":                   {to(second), dearer},
		"changes some time after":   {to(second.AddDate(0, 1, 0)), pro},
		"changes, and is not trial": {func(sub *stripe.Subscription) { to(second)(sub); sub.Status = "active" }, nil},
	} {
		read := sold
		tc.change(&read)
		s.api.subscription = func() stripe.Subscription { return read }
		s.apply()
		got, ok, err := s.Current(t.Context(), s.user)
		if err != nil || !ok || (got.AfterTrial == nil) != (tc.want == nil) || got.AfterTrial != nil && *got.AfterTrial != *tc.want {
			t.Errorf("%s: %+v, %t, %v; want %+v", name, got.AfterTrial, ok, err, tc.want)
		}
	}
}
