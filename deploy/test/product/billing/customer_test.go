package billing

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/fault"
)

func (p *person) customer() string {
	p.Helper()
	return p.text(`SELECT coalesce(customer_id, '') FROM customers WHERE user_id = $1`, p.id)
}

// deleteCustomer is what somebody does in Stripe's dashboard.
func (p *person) deleteCustomer() {
	p.Helper()
	_, err := p.client().V1Customers.Delete(p.Context(), p.customer(), nil)
	p.must(err)
}

// TestWhoseCustomerWasDeletedBuysAgain as one new customer, whether Stripe has reported the
// deletion or an order finds it, and whichever replica is asked. Earlier purchases stay,
// and changes to them at Stripe still have their effect.
func TestWhoseCustomerWasDeletedBuysAgain(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
			t.Parallel()
			r := start(t, 2)
			p := r.person()
			p.subscribe()
			first, charge := p.customer(), p.charges()[0]
			r.settled()
			r.must(r.stripe.SetDelivery(stripe.Delivery{Held: !told}))
			p.deleteCustomer()
			if told {
				p.is("", "", 5000)
				r.settled()
				if c := p.customer(); c != "" {
					t.Errorf("still bound to %s", c)
				}
			}
			sessions := p.clicks(8)
			for i := range sessions {
				if sessions[i] == "" || sessions[i] != sessions[0] {
					t.Fatalf("click %d leads to %q, the first to %q", i, sessions[i], sessions[0])
				}
			}
			if c := p.customer(); c == first || c == "" {
				t.Errorf("is customer %q, was %q", c, first)
			}
			p.hadCustomers(1)
			r.must(r.stripe.PayCheckout(t.Context(), sessions[0], stripe.CardWorks))
			r.must(r.stripe.SetDelivery(stripe.Delivery{}))
			p.is("active", "business", 15000)
			p.refund(charge, 2500)
			p.is("active", "business", 10000)
			r.settled()
			if got, want := p.entries(), "grant 5000, grant 10000, clawback -5000"; got != want {
				t.Errorf("entries %s, want %s", got, want)
			}
			if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
				t.Errorf("%d events were parked", n)
			}
			p.deleteCustomer() // and again
			_, err := p.order(stripe.ProProduct, stripe.ProPrice)
			r.must(err)
			p.hadCustomers(2)
		})
	}
}

// clicks orders Business so many times together, over all replicas.
func (p *person) clicks(n int) (sessions []string) {
	p.Helper()
	sessions = make([]string, n)
	var clicks sync.WaitGroup
	for i := range sessions {
		clicks.Go(func() {
			page, err := p.serving[i%len(p.serving)].CreateCheckoutSession(p.ctx, &billingv1.CreateCheckoutSessionRequest{
				ProductId: stripe.BusinessProduct, PriceId: stripe.BusinessPrice, SuccessUrl: profile + "?success=true", CancelUrl: profile,
			})
			if err != nil {
				p.Errorf("click %d: %v", i, err)
			}
			sessions[i] = page.GetSessionId()
		})
	}
	clicks.Wait()
	return sessions
}

func (p *person) hadCustomers(want int) {
	p.Helper()
	if n := p.count(`SELECT count(*) FROM former_customers WHERE user_id = $1`, p.id); n != want {
		p.Errorf("%d former customers, want %d", n, want)
	}
}

func TestACustomerWhoWasDeletedHasNoPortal(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	r.settled()
	r.must(r.stripe.SetDelivery(stripe.Delivery{Held: true}))
	p.deleteCustomer()
	for range 2 {
		got, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile})
		if reason(err) != "nothing_bought" {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestACustomerThatStripeDoesNotKnowIsKept while Stripe does not say whose the key is: it may be
// of another account. To try again helps nobody.
func TestACustomerThatStripeDoesNotKnowIsKept(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.stripe.SetFault(stripe.Fault{Route: "GET /v1/account", Status: http.StatusForbidden})
	r.add(r.serve())
	p := r.person()
	if _, err := r.pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, 'cus_elsewhere', now())`, p.id); err != nil {
		t.Fatal(err)
	}
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); !errors.Is(fault.FromGRPC(err), fault.Conflict) {
		t.Errorf("an order: %v", err)
	}
	if _, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile}); !errors.Is(fault.FromGRPC(err), fault.Conflict) {
		t.Errorf("a portal: %v", err)
	}
	if c := p.customer(); c != "cus_elsewhere" {
		t.Errorf("is customer %q", c)
	}
	r.hears("customer.deleted", "cus_of_nobody")
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'applied'`); n != 1 {
		t.Error("the event of a customer that is not ours was not taken")
	}
}

// TestTheAddressAtStripeFollowsTheAccounts, and stays as it is while nobody may write to it.
func TestTheAddressAtStripeFollowsTheAccounts(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p, none := r.person(), r.person()
	p.subscribe()
	atStripe := func(want string) {
		t.Helper()
		customer, err := r.client().V1Customers.Retrieve(t.Context(), p.customer(), nil)
		r.must(err)
		if customer.Email != want {
			t.Errorf("Stripe writes to %q, want %q", customer.Email, want)
		}
	}
	atStripe(p.email)
	r.issuer.Token(p.id.String(), "else@fledge.test", nil)
	p.becomes(moved, time.Now())
	none.becomes(moved, time.Now())
	atStripe("else@fledge.test")
	r.issuer.Token(p.id.String(), "third@fledge.test", nil)
	r.issuer.Disable(p.id.String())
	p.becomes(disabled, time.Now())
	p.becomes(moved, time.Now())
	atStripe("else@fledge.test")
	r.issuer.Enable(p.id.String())
	p.becomes(enabled, time.Now())
	atStripe("third@fledge.test")
}
