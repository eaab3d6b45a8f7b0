package billing

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	sdk "github.com/stripe/stripe-go/v85"
	"google.golang.org/protobuf/proto"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// identityBus is the identity service's outbox, and a relay that publishes what is in it.
func (r *rig) identityBus() *pgxpool.Pool {
	r.Helper()
	url := pgtest.NewEmpty(r.T)
	r.must(pg.Migrate(r.Context(), url, bus.Migrations()))
	pool, err := pgxpool.New(r.Context(), url)
	r.must(err)
	r.Cleanup(pool.Close)
	conn := bus.Connect(bus.Config{URL: r.nats.URL(), Replicas: 1}, service.NewRuntime("identity", "test", slog.New(slog.DiscardHandler)))
	relay := conn.Relay(pool)
	for _, unit := range []service.Unit{conn.Unit(), relay} {
		stop, err := unit.Start(r.Context())
		r.must(err)
		r.Cleanup(func() { _ = stop(context.Background()) })
	}
	return pool
}

// says publishes an event as identity does, and returns its id.
func (p *person) says(kind string, at time.Time) uuid.UUID {
	p.Helper()
	if p.outbox == nil {
		p.outbox = p.identityBus()
	}
	id, err := uuid.NewV7()
	p.must(err)
	p.must(bus.Append(p.Context(), p.outbox, bus.Event{ID: id, Type: kind, Subject: p.id.String(), Time: at, Payload: map[string]proto.Message{
		disabled: &eventsv1.UserDisabled{UserId: p.id.String()}, enabled: &eventsv1.UserEnabled{UserId: p.id.String()},
		deleted: &eventsv1.UserDeleted{UserId: p.id.String(), Emails: []string{p.email}}, moved: &eventsv1.UserEmailChanged{UserId: p.id.String()},
	}[kind]}))
	return id
}

// becomes says what an account is from now on, and waits until billing has dealt with it.
func (p *person) becomes(kind string, at time.Time) {
	p.Helper()
	id := p.says(kind, at)
	waittest.Eventually(p.T, kind+" is handled", func() bool {
		return p.count(`SELECT count(*) FROM inbox WHERE event_id = $1`, id) == 1
	})
}

// leaves has the account deleted.
func (p *person) leaves() {
	p.Helper()
	before := p.answers()
	p.becomes(deleted, time.Now())
	if got := p.answers() - before; got != 1 {
		p.Errorf("billing has answered %d times", got)
	}
	p.settled()
}

// answers counts how often billing has said that it has erased the account.
func (p *person) answers() int {
	p.Helper()
	return p.count(`SELECT count(*) FROM outbox WHERE type = 'fledge.billing.v1.user.erased' AND subject = $1`, p.id.String())
}

// charged counts what has been paid at Stripe.
func (r *rig) charged() (n int) {
	r.Helper()
	for c, err := range r.client().V1Charges.List(r.Context(), &sdk.ChargeListParams{}).All(r.Context()) {
		r.must(err)
		if c.Paid {
			n++
		}
	}
	return n
}

// atStripe is the text of a list at Stripe.
func (r *rig) atStripe(list string) string {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, r.stripe.URL()+"/v1/"+list, nil)
	r.must(err)
	req.Header.Set("Authorization", "Bearer "+stripe.SecretKey)
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Do(req)
	r.must(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	r.must(err)
	if resp.StatusCode != http.StatusOK {
		r.Fatalf("%s: %s", list, body)
	}
	return string(body)
}

// openPage is a checkout that is open in another tab.
func (p *person) openPage(customer string) string {
	p.Helper()
	session, err := p.client().V1CheckoutSessions.Create(p.Context(), &sdk.CheckoutSessionCreateParams{
		Mode: sdk.String("subscription"), Customer: sdk.String(customer), SuccessURL: sdk.String(profile),
		LineItems: []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(stripe.ProPrice), Quantity: sdk.Int64(1)}},
	})
	p.must(err)
	return session.ID
}

func (p *person) subscription(id string) *sdk.Subscription {
	p.Helper()
	s, err := p.client().V1Subscriptions.Retrieve(p.Context(), id, nil)
	p.must(err)
	return s
}

// isOver checks that the person has nothing, that the books add up, and that there is no way
// back.
func (p *person) isOver() {
	p.Helper()
	p.is("", "", 0)
	const check = `SELECT count(*) FROM credit_accounts a WHERE user_id = $1 AND balance = 0 AND held = 0 AND closed_at IS NOT NULL AND next_due IS NULL
		AND (SELECT coalesce(sum(amount), 0) FROM credit_entries WHERE user_id = $1) = 0
		AND NOT EXISTS (SELECT FROM credit_holds WHERE user_id = $1 AND ended_at IS NULL)
		AND NOT EXISTS (SELECT FROM credit_grants WHERE user_id = $1 AND (ended_at IS NULL OR remaining > 0))`
	if p.count(check, p.id) != 1 {
		p.Error("the account has something left")
	}
	if p.count(`SELECT count(*) FROM account_states WHERE user_id = $1 AND state = 'erased'`, p.id) != 1 {
		p.Error("the account is not known to be erased")
	}
	if p.count(`SELECT count(*) FROM customers WHERE user_id = $1 AND customer_id IS NOT NULL`, p.id) != 0 {
		p.Error("the account is a customer")
	}
	if p.count(`SELECT count(*) FROM subscriptions WHERE user_id = $1 AND status <> 'free'`, p.id) != 0 {
		p.Error("the account has a subscription")
	}
}

// actions counts what was done at Stripe by all instances.
func (r *rig) actions() (sum float64) {
	r.Helper()
	for _, i := range r.serving {
		sum += i.metric(r.T, "billing_standing_actions_total")
	}
	return sum
}
