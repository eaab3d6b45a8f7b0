package billing

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/waittest"
)

// What identity says of accounts.
const (
	disabled = "fledge.identity.v1.user.disabled"
	enabled  = "fledge.identity.v1.user.enabled"
	deleted  = "fledge.identity.v1.user.deleted"
	moved    = "fledge.identity.v1.user.email_changed"
)

// TestWhoIsDeletedIsChargedNothingAnyMore: somebody who pays, owes, holds credits, was another
// customer before, and has a checkout open. What Stripe tells later brings nothing back.
func TestWhoIsDeletedIsChargedNothingAnyMore(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	stays := r.person()
	stays.subscribe()
	p := r.person()
	p.subscribe()
	first := p.customer()
	p.deleteCustomer()
	p.is("", "", 5000)
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	p.is("active", "pro", 10000)
	second := p.customer()
	id := p.text(`SELECT id FROM subscriptions WHERE user_id = $1 AND status = 'active'`, p.id)
	bought := p.subscription(id).LatestInvoice.ID
	p.spend(125)
	_, err = r.serving[0].HoldCredits(p.ctx, &billingv1.HoldCreditsRequest{Amount: 1000, Description: "New app", IdempotencyKey: "h"})
	r.must(err)
	r.must(r.stripe.FailPayments(t.Context(), id, 1))
	r.plan(id, stripe.BusinessPrice)
	owed := p.subscription(id).LatestInvoice.ID
	open := p.openPage(second)
	r.settled()
	paid := r.charged()

	p.leaves()

	// At Stripe nothing is left that could be paid, and no address but on what was billed.
	for _, customer := range []string{first, second} {
		c, err := r.client().V1Customers.Retrieve(t.Context(), customer, nil)
		if err != nil || !c.Deleted {
			t.Errorf("%s is there: %v", customer, err)
		}
	}
	if s := p.subscription(id); s.Status != sdk.SubscriptionStatusCanceled {
		t.Errorf("the subscription is %s", s.Status)
	}
	invoice, err := r.client().V1Invoices.Retrieve(t.Context(), owed, nil)
	r.must(err)
	if invoice.Status != sdk.InvoiceStatusVoid {
		t.Errorf("what was owed is %s", invoice.Status)
	}
	tab, err := r.client().V1CheckoutSessions.Retrieve(t.Context(), open, nil)
	r.must(err)
	if tab.Status != sdk.CheckoutSessionStatusExpired {
		t.Errorf("the checkout in the other tab is %s", tab.Status)
	}
	for _, list := range []string{"customers", "checkout/sessions", "subscriptions?status=all", "charges"} {
		if strings.Contains(r.atStripe(list+map[bool]string{true: "&", false: "?"}[strings.Contains(list, "?")]+"limit=100"), p.email) {
			t.Errorf("the address is in Stripe's %s", list)
		}
	}

	// In the database there is no address at all, and the id where the README says so.
	if hits := erasuretest.Search(t, r.pool, p.email); len(hits) > 0 {
		t.Errorf("the address is in %v", hits)
	}
	want := []string{
		"account_states.user_id", "credit_accounts.user_id", "credit_entries.user_id", "credit_grants.user_id", "credit_holds.user_id",
		"credit_keys.user_id", "credit_payments.user_id", "customers.user_id", "former_customers.user_id", "outbox.payload", "outbox.subject", "subscriptions.user_id",
	}
	if hits := erasuretest.Search(t, r.pool, p.id.String()); !slices.Equal(slices.Sorted(slices.Values(hits)), want) {
		t.Errorf("the id is in %v, want %v", hits, want)
	}
	p.isOver()
	entries := p.entries()
	if !strings.HasPrefix(entries, "grant 5000, grant 5000, consume -125, expire") {
		t.Errorf("entries %s", entries)
	}

	// Twice is once, and what comes late changes nothing.
	actions := r.actions()
	p.leaves()
	if again := r.actions(); again != actions {
		t.Errorf("%v things were done at Stripe, and %v the second time", actions, again-actions)
	}
	r.hears("invoice.paid", bought)
	r.hears("customer.subscription.updated", id)
	r.hears("customer.deleted", second)
	r.hears("checkout.session.completed", page.GetSessionId())
	r.must(r.stripe.Advance(t.Context(), 2, 2*time.Hour))
	r.settled()
	p.isOver()
	if got := p.entries(); got != entries {
		t.Errorf("entries %s, were %s", got, entries)
	}
	if got := r.charged() - paid; got != 2 {
		t.Errorf("%d payments in two months, want those of somebody else", got)
	}
	stays.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}

// TestWhatWasGivenUpIsVoidOnceItsAccountIsDeleted: nobody can pay it any more.
func TestWhatWasGivenUpIsVoidOnceItsAccountIsDeleted(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	owed := p.unpaid(p.subscribe())
	_, err := r.client().V1Invoices.MarkUncollectible(t.Context(), owed, nil)
	r.must(err)
	r.settled()
	p.leaves()
	p.isOver()
	invoice, err := r.client().V1Invoices.Retrieve(t.Context(), owed, nil)
	r.must(err)
	if invoice.Status != sdk.InvoiceStatusVoid {
		t.Errorf("what was given up is %s", invoice.Status)
	}
	r.nothingParked()
}

// TestADraftOfADeletedAccountIsNotCollected: the renewal had begun an instant before.
func TestADraftOfADeletedAccountIsNotCollected(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	r.must(r.stripe.Advance(t.Context(), 1, 0))
	r.settled()
	p.leaves()
	r.must(r.stripe.Advance(t.Context(), 2, 2*time.Hour))
	r.settled()
	p.isOver()
	if n := r.charged(); n != 1 {
		t.Errorf("%d payments, want the first", n)
	}
	// The stand-in stops collecting drafts by itself when a subscription is cancelled. Stripe
	// says so of finalized invoices only.
	if n := r.stripe.CountCalls("POST /v1/invoices/{id}"); n != 1 {
		t.Errorf("Stripe was told %d times not to collect the draft", n)
	}
}

// TestMoneyOnItsWayKeepsNoDeletionWaiting, although Stripe does not make its invoice void. When it comes, people are told,
// and when it goes back, that is no case of its own.
func TestMoneyOnItsWayKeepsNoDeletionWaiting(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.byBank(stripe.DebitWorks)
	r.settled()
	p.leaves()
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	r.settled()
	p.isOver()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked' AND reason = 'erased_account' AND type = 'invoice.paid'`); n != 1 {
		t.Errorf("%d cases of a payment that came too late", n)
	}
	charges := 0
	for charge, err := range r.client().V1Charges.List(t.Context(), nil).All(t.Context()) {
		r.must(err)
		p.refund(charge.ID, charge.Amount)
		charges++
	}
	if charges != 1 {
		t.Errorf("charged %d times", charges)
	}
	r.settled()
	r.refundIsNoCase()
}

// TestWhatGoesBackOfAPackThatWasPaidTooLateIsNoCase: the pack is one.
func TestWhatGoesBackOfAPackThatWasPaidTooLateIsNoCase(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	session := p.buyPack(stripe.DebitWorks)
	r.settled()
	p.leaves()
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked' AND reason = 'erased_account' AND object = $1`, session); n == 0 {
		t.Error("nobody is told of a pack that was paid too late")
	}
	p.refund(p.chargeOf(session), 1200)
	r.settled()
	r.refundIsNoCase()
}

// refundIsNoCase checks that a refund was heard of, and applied.
func (r *rig) refundIsNoCase() {
	r.Helper()
	if states := r.text(`SELECT coalesce(string_agg(DISTINCT state, ','), '') FROM stripe_events WHERE type = 'charge.refunded'`); states != "applied" {
		r.Errorf("the refund is %q", states)
	}
}

// TestAPackThatWasPaidBeforeItsPersonsDeletionWasKnownIsTold by the next comparison: it has given its credits, which have gone with
// the account. One that was paid before the deletion is not.
func TestAPackThatWasPaidBeforeItsPersonsDeletionWasKnownIsTold(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	late, fair := r.person(), r.person()
	var session string
	for _, p := range []*person{late, fair} {
		p.subscribe()
		r.settled()
		bought := p.buyPack(stripe.CardWorks)
		p.is("active", "pro", 5000+packCredits)
		r.settled()
		at := time.Now().Add(time.Minute)
		if p == late {
			session, at = bought, time.Now().Add(-time.Hour)
		}
		p.becomes(deleted, at)
		r.settled()
		p.isOver()
	}
	again := r.serve()
	waittest.Eventually(t, "it has compared", func() bool {
		return again.metricOf(t, "periodic_last_success_timestamp_seconds", "stripe_reconcile") > 0
	})
	if told := r.text(`SELECT coalesce(string_agg(object || ' ' || reason, ', ') FILTER (WHERE object LIKE 'cs_%'), '') FROM odd_cases`); told != session+" erased_account" {
		t.Errorf("told of %q, want %s", told, session)
	}
}

// TestInADemoADeletionEndsTheCredits, and Stripe is not asked.
func TestInADemoADeletionEndsTheCredits(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.add(r.serve("STRIPE_SECRET_KEY=", "STRIPE_PUBLISHABLE_KEY=", "STRIPE_WEBHOOK_SECRETS=", "STRIPE_API_URL=", "FREE_MONTHLY_CREDITS=5"))
	p := r.person()
	p.is("", "", 500)
	p.becomes(disabled, time.Now())
	p.leaves()
	p.isOver()
	if n := r.stripe.CountCalls(""); n != 0 {
		t.Errorf("Stripe was asked %d times", n)
	}
}

// TestADeletionWaitsForStripe, and all of it: the rows are as before until Stripe has deleted
// the customer.
func TestADeletionWaitsForStripe(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	subscription, customer := p.subscribe(), p.customer()
	r.settled()
	r.stripe.SetFault(stripe.Fault{Route: "DELETE /v1/customers", Status: http.StatusServiceUnavailable})
	id := p.says(deleted, time.Now())
	waittest.Eventually(t, "it is tried twice", func() bool { return r.stripe.CountCalls("DELETE /v1/customers") >= 2 })
	if p.answers() != 0 || p.customer() != customer || r.count(`SELECT count(*) FROM account_states WHERE state = 'erased'`) != 0 {
		t.Error("the account was erased while Stripe still had it")
	}
	if s := p.subscription(subscription); s.Status != sdk.SubscriptionStatusCanceled {
		t.Errorf("the subscription is %s while the customer cannot be deleted", s.Status)
	}
	r.stripe.SetFault(stripe.Fault{})
	waittest.Eventually(t, "it is handled", func() bool { return r.count(`SELECT count(*) FROM inbox WHERE event_id = $1`, id) == 1 })
	r.settled()
	p.isOver()
	if n := p.answers(); n != 1 {
		t.Errorf("%d answers", n)
	}
}

// TestADeletionThatIsCutOffAfterStripeIsFinished: its connection is lost before the commit.
func TestADeletionThatIsCutOffAfterStripeIsFinished(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	customer := p.customer()
	r.settled()
	tx, err := r.pool.Begin(t.Context())
	r.must(err)
	_, err = tx.Exec(t.Context(), `SELECT FROM customers WHERE user_id = $1 FOR UPDATE`, p.id)
	r.must(err)
	id := p.says(deleted, time.Now())
	waittest.Eventually(t, "Stripe is done and the rows are waited for", func() bool {
		c, err := r.client().V1Customers.Retrieve(t.Context(), customer, nil)
		return err == nil && c.Deleted && r.count(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%LockAccount%' AND cardinality(pg_blocking_pids(pid)) > 0
			AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = pg_stat_activity.pid AND l.relation = 'account_states'::regclass AND l.mode = 'RowExclusiveLock')`) == 1
	})
	if n := p.answers(); n != 0 {
		t.Errorf("%d answers before the commit", n)
	}
	r.must(tx.Rollback(t.Context()))
	waittest.Eventually(t, "it is handled", func() bool { return r.count(`SELECT count(*) FROM inbox WHERE event_id = $1`, id) == 1 })
	r.settled()
	p.isOver()
	if n := p.answers(); n != 1 {
		t.Errorf("%d answers", n)
	}
}

// TestADeletionThatIsCutOffAtStripeIsFinished: of each kind of call the answer is lost after Stripe
// has done the work, and nothing is done twice.
func TestADeletionThatIsCutOffAtStripeIsFinished(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	for _, route := range []string{"POST /v1/checkout/sessions/", "DELETE /v1/subscriptions/", "POST /v1/invoices/", "DELETE /v1/customers/"} {
		p := r.person()
		id, customer := p.subscribe(), p.customer()
		r.must(r.stripe.FailPayments(t.Context(), id, 1))
		r.plan(id, stripe.BusinessPrice)
		p.openPage(customer)
		r.settled()
		ended := func() (counts []int) {
			for _, event := range []string{"customer.subscription.deleted", "invoice.voided", "customer.deleted"} {
				counts = append(counts, strings.Count(r.atStripe("events?limit=100&type="+event), `"object": "event"`))
			}
			return counts
		}
		before, calls := ended(), r.stripe.CountCalls(route)
		r.stripe.SetFault(stripe.Fault{Route: route, Lost: true})
		said := p.says(deleted, time.Now())
		waittest.Eventually(t, route+" is cut off", func() bool { return r.stripe.CountCalls(route) > calls })
		r.stripe.SetFault(stripe.Fault{})
		waittest.Eventually(t, "it is handled", func() bool { return r.count(`SELECT count(*) FROM inbox WHERE event_id = $1`, said) == 1 })
		r.settled()
		p.isOver()
		for i, n := range ended() {
			if n != before[i]+1 {
				t.Errorf("%s: %v things had ended at Stripe, and %v now", route, before, ended())
				break
			}
		}
	}
}

// TestWhoNeverBoughtIsDeletedToo: the free credits end and do not come back, a customer that
// was made and then lost goes with the account, and an order that comes too late leaves none.
// Somebody else's customer with the same address stays.
func TestWhoNeverBoughtIsDeletedToo(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.add(r.serve("FREE_MONTHLY_CREDITS=5"))
	p := r.person()
	p.is("", "", 500)
	create := func(user string) string {
		c, err := r.client().V1Customers.Create(t.Context(), &sdk.CustomerCreateParams{Email: sdk.String(p.email), Metadata: map[string]string{"user_id": user}})
		r.must(err)
		return c.ID
	}
	lost, others := create(p.id.String()), create(uuid.NewString())
	p.leaves()
	p.isOver()
	for customer, gone := range map[string]bool{lost: true, others: false} {
		c, err := r.client().V1Customers.Retrieve(t.Context(), customer, nil)
		r.must(err)
		if c.Deleted != gone {
			t.Errorf("%s is deleted: %t, want %t", customer, c.Deleted, gone)
		}
	}
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "account_erased" {
		t.Errorf("an order: %v", err)
	}
	if list := r.atStripe("customers?limit=100"); strings.Count(list, p.email) != 1 {
		t.Errorf("the order has left a customer: %s", list)
	}
	p.isOver()
}
