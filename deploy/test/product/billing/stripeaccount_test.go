package billing

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// elsewhere is another stand-in, empty, and how a service is told of it. Its events arrive like
// those of the first.
func (r *rig) elsewhere(account string) (*stripe.Server, string) {
	r.Helper()
	other, err := stripe.Start(r.Context(), stripe.Options{
		Addr: "127.0.0.1:0", WebhookURL: r.hooks, Retry: []time.Duration{20 * time.Millisecond}, AccountID: account,
	})
	r.must(err)
	r.Cleanup(func() { _ = other.Close(context.Background()) })
	return other, "STRIPE_API_URL=" + other.URL()
}

// startFails returns why a service does not start.
func (r *rig) startFails() error {
	r.Helper()
	cfg, err := config.Load[billing.Config](r.environ)
	r.must(err)
	rt := service.NewRuntime("billing", "dev", obs.NewLogger(io.Discard, "billing", slog.LevelInfo))
	units, err := billing.New(r.Context(), cfg, rt)
	r.must(err)
	ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
	defer cancel()
	return service.Run(ctx, rt, cfg.ServiceBase(), units)
}

// TestAKeyOfTheOtherModeDoesNotStart, and says how to go on.
func TestAKeyOfTheOtherModeDoesNotStart(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.person().subscribe()
	r.settled()
	r.serving[0].stop()
	// The stand-in takes no live key, so it is the database that has been of live mode.
	_, err := r.pool.Exec(t.Context(), `UPDATE stripe_account SET livemode = true`)
	r.must(err)
	if err := r.startFails(); err == nil || !strings.Contains(err.Error(), "STRIPE_MOVE_FROM="+stripe.AccountID+"/live") {
		t.Errorf("the start says %v", err)
	}
}

// TestAnotherAccountSellsNothing: whoever bought before would be charged by both.
func TestAnotherAccountSellsNothing(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p, newcomer := r.person(), r.person()
	p.subscribe()
	r.settled()
	waittest.Eventually(t, "the account is known", func() bool {
		return r.text(`SELECT account_id FROM stripe_account`) == stripe.AccountID
	})
	r.serving[0].stop()
	other, there := r.elsewhere("acct_other")
	r.replace(0, r.serve(there))
	for _, who := range []*person{p, newcomer} {
		if _, err := who.order(stripe.BusinessProduct, stripe.BusinessPrice); !errors.Is(fault.FromGRPC(err), fault.Conflict) {
			t.Errorf("an order: %v", err)
		}
	}
	if _, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile}); !errors.Is(fault.FromGRPC(err), fault.Conflict) {
		t.Errorf("a portal: %v", err)
	}
	if n := other.CountCalls("POST /v1/customers"); n != 0 {
		t.Errorf("%d customers were made", n)
	}
	p.is("active", "pro", 5000)
}

// TestMovingToAnotherAccount lets go of what was bought with test cards: people are on the free
// plan, buy as new customers, and nothing is done twice when the setting stays.
func TestMovingToAnotherAccount(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p, gifted := r.person(), r.person()
	p.subscribe()
	first := p.customer()
	if _, err := r.command("adjust-credits", gifted.id.String(), "+5.00", "TKT-1", "With our apologies"); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the account is known", func() bool {
		return r.text(`SELECT account_id FROM stripe_account`) == stripe.AccountID
	})
	r.settled()
	move := "STRIPE_MOVE_FROM=" + stripe.AccountID + "/test"
	r.serving[0].stop()
	r.replace(0, r.serve(move)) // the key is still the former one
	p.is("active", "pro", 5000)
	r.serving[0].stop()
	other, there := r.elsewhere("acct_other")
	for range 2 {
		r.replace(0, r.serve(move, there))
		r.serving[0].stop()
	}
	r.replace(0, r.serve(there))
	p.is("", "", 0)
	gifted.is("", "", 500)
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	r.must(other.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	p.is("active", "pro", 5000)
	if now := p.customer(); now == first || now == "" {
		t.Errorf("is customer %q, was %q", now, first)
	}
	if got, want := p.entries(), "grant 5000, clawback -5000, grant 5000"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	var moves int
	for _, action := range audittest.Actions(t, r.pool) {
		if action.GetAction() == "stripe_account.moved" {
			moves++
			if action.GetActorEmail() != "operator" || action.GetAfter() != `{"account":"acct_other/test","customers":1,"subscriptions":1}` {
				t.Errorf("recorded %v", action)
			}
		}
	}
	if moves != 1 {
		t.Errorf("%d moves are recorded", moves)
	}
}

// TestWhatStripeHasLost of the same account, as when all test data was deleted, has ended: nobody
// is stuck with it, and what was paid for stays.
func TestWhatStripeHasLost(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	first := p.customer()
	r.settled()
	r.serving[0].stop()
	other, there := r.elsewhere(stripe.AccountID)
	r.replace(0, r.serve(there))
	p.is("", "", 5000)
	if n := r.serving[0].metric(t, "billing_reconcile_repairs_total"); n != 1 {
		t.Errorf("%v repairs were counted", n)
	}
	waittest.Eventually(t, "the customer is released", func() bool { return p.customer() == "" })
	got, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile})
	if reason(err) != "nothing_bought" {
		t.Errorf("the portal: %v, %v", got, err)
	}
	page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	r.must(other.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	p.is("active", "business", 15000)
	if now := p.customer(); now == first {
		t.Error("is the customer that Stripe does not know")
	}
	r.nothingParked()
}

// TestAnOrderRightAfterARestore finds what was bought before it, although nothing else has yet:
// the reconciliation has not come by, and no key of idempotency is as old.
func TestAnOrderRightAfterARestore(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	r.settled()
	r.must(r.stripe.Advance(t.Context(), 0, 48*time.Hour))
	r.settled()
	for _, table := range []string{"credit_entries", "credit_grants", "credit_keys", "credit_accounts", "subscriptions", "customers", "stripe_events"} {
		_, err := r.pool.Exec(t.Context(), `SET session_replication_role = replica; DELETE FROM `+table)
		r.must(err)
	}
	_, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	if err != nil && reason(err) != "already_subscribed" {
		t.Errorf("the order: %v", err)
	}
	if n := r.stripe.CountCalls("POST /v1/customers"); n != 1 {
		t.Errorf("%d customers were made, want the first alone", n)
	}
	if n := r.stripe.CountCalls("POST /v1/checkout/sessions"); n != 1 {
		t.Errorf("%d checkouts were opened, want the first alone", n)
	}
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("the same plan: %v", errors.Unwrap(err))
	}
	p.is("active", "pro", 5000)
}
