package billing

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
)

// rig is the fake of Stripe, a database, an identity service, and one or more instances
// of billing that receive the fake's webhooks by round robin.
type rig struct {
	*testing.T
	stripe *stripe.Server
	issuer *authntest.Issuer
	pool   *pgxpool.Pool
	nats   *bustest.Server
	// outbox is the identity service's, once it says something.
	outbox  *pgxpool.Pool
	environ []string
	// identity is where the identity service listens.
	identity string
	// serving is what the webhooks go to.
	serving []*instance
	mu      sync.Mutex // of replacing one
	rotate  atomic.Uint64
	// hooks is where the fake delivers its events.
	hooks string
}

// endpoint is the webhook endpoint as Stripe is told of it.
var endpoint = stripe.Endpoint{URL: authntest.Origin + "/api/stripe-webhook"}

// instance is a running service.
type instance struct {
	billingv1.BillingServiceClient
	addr string
	rt   *service.Runtime
	conn *grpc.ClientConn
	stop func()
	down atomic.Bool
}

func start(t *testing.T, instances int, change ...func(*stripe.Options)) *rig {
	t.Helper()
	databaseURL := pgtest.New(t, "billing_stripe", func(context.Context, string) error { return nil })
	pool, err := pgxpool.New(t.Context(), databaseURL)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	// Many of these tests share the machine, and a sign-in to PostgreSQL takes computing.
	databaseURL += "&connect_timeout=20"
	r := &rig{T: t, pool: pool, issuer: authntest.New(t, nil), nats: bustest.Start(t)}
	r.identity = servicetest.Identity(t, r.issuer)
	hooks := httptest.NewServer(http.HandlerFunc(r.webhook))
	t.Cleanup(hooks.Close)
	r.hooks = hooks.URL + "/webhook"
	opts := stripe.Options{Addr: "127.0.0.1:0", WebhookURL: r.hooks, Endpoint: endpoint, NoDefaultPortal: true, Retry: []time.Duration{20 * time.Millisecond}}
	for _, f := range change {
		f(&opts)
	}
	r.stripe, err = stripe.Start(t.Context(), opts)
	errtest.None(t, err)
	t.Cleanup(r.closeStripe)
	values := map[string]string{
		"DATABASE_URL": databaseURL, "DATABASE_DEADLINE": "20s", "DATABASE_STATEMENT_TIMEOUT": "20s", "NATS_URL": r.nats.URL(),
		"IDENTITY_ADDR": r.identity, "SITE_ORIGIN": authntest.Origin, "INTERNAL_TOKEN": servicetest.InternalToken, "OPS_ADDR": "",
		"MAIL_FROM": "Fledge <hello@fledge.test>", "MAIL_REPLY_TO": "support@fledge.test",
		"STRIPE_API_URL": r.stripe.URL(), "STRIPE_SECRET_KEY": stripe.SecretKey, "STRIPE_PUBLISHABLE_KEY": stripe.PublishableKey,
		"STRIPE_WEBHOOK_SECRETS":     stripe.WebhookSecret + "," + stripe.OldSecret,
		"STRIPE_TEST_PRO_PRODUCT_ID": stripe.ProProduct, "STRIPE_TEST_PRO_PRICE_ID": stripe.ProPrice,
		"STRIPE_TEST_BUSINESS_PRODUCT_ID": stripe.BusinessProduct, "STRIPE_TEST_BUSINESS_PRICE_ID": stripe.BusinessPrice,
		"STRIPE_TEST_PACKS": fmt.Sprintf("%s=%d", stripe.PackPrice, stripe.PackCredits),
	}
	for key, value := range values {
		r.environ = append(r.environ, key+"="+value)
	}
	for range instances {
		r.add(r.serve())
	}
	return r
}

func (r *rig) closeStripe() { _ = r.stripe.Close(context.Background()) }

// webhook is the route of the gateway: it passes bytes on.
func (r *rig) webhook(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	to := r.next()
	if err != nil || to == nil || to.down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, err = to.ReceiveStripeEvent(context.Background(), &billingv1.ReceiveStripeEventRequest{Payload: body, Signature: req.Header.Get("Stripe-Signature")})
	if err != nil {
		w.WriteHeader(fault.FromGRPC(err).Kind.HTTPStatus())
	}
}

// next picks an instance by round robin; nil while the first one starts, when Stripe may
// send something already.
func (r *rig) next() *instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.serving) == 0 {
		return nil
	}
	return r.serving[r.rotate.Add(1)%uint64(len(r.serving))]
}

// patient calls wait for as long as the instances wait for the database.
type patient struct{ *grpc.ClientConn }

func (p patient) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return p.ClientConn.Invoke(ctx, method, args, reply, opts...)
}

// serve starts an instance; set changes its environment, and takes away what is "".
func (r *rig) serve(set ...string) *instance {
	r.Helper()
	environ := slices.Clone(r.environ)
	for _, change := range set {
		key, value, _ := strings.Cut(change, "=")
		environ = slices.DeleteFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, key+"=") })
		if value != "" {
			environ = append(environ, change)
		}
	}
	cfg, err := config.Load[billing.Config](environ)
	errtest.None(r, err)
	log := r.log()
	rt := service.NewRuntime("billing", "dev", obs.NewLogger(log, "billing", slog.LevelInfo))
	units, err := billing.New(r.Context(), cfg, rt)
	errtest.None(r, err)
	i := &instance{rt: rt}
	end := servicetest.Run(r, rt, cfg.ServiceBase(), units)
	i.stop = func() {
		i.down.Store(true)
		end()
	}
	r.Cleanup(i.stop)
	i.addr = log.Addr(r, "grpc listening")
	i.conn, err = rpc.Dial(i.addr, rpc.ClientConfig{InternalToken: servicetest.InternalToken})
	errtest.None(r, err)
	r.Cleanup(func() { _ = i.conn.Close() })
	i.BillingServiceClient = billingv1.NewBillingServiceClient(patient{i.conn})
	return i
}

// log is a service's: a test that fails shows what it warned of.
func (r *rig) log() *logtest.Log {
	log := &logtest.Log{}
	r.Cleanup(func() {
		for line := range strings.Lines(log.String()) {
			if r.Failed() && !strings.Contains(line, `"level":"INFO"`) {
				r.Log(line)
			}
		}
	})
	return log
}

// person is an account, and calls as it.
type person struct {
	*rig
	id           uuid.UUID
	email, token string
	ctx          context.Context
}

func (r *rig) person() *person {
	email := fmt.Sprintf("user-%s@fledge.test", uuid.NewString()[:8])
	name, token := r.issuer.User(email)
	return &person{r, uuid.MustParse(name), email, token, authn.WithPrincipal(context.Background(), authn.Principal{Bearer: token})}
}

const profile = authntest.Origin + "/profile"

func (p *person) order(product, price string) (*billingv1.CreateCheckoutSessionResponse, error) {
	return p.serving[0].CreateCheckoutSession(p.ctx, &billingv1.CreateCheckoutSessionRequest{
		ProductId: product, PriceId: price, SuccessUrl: profile + "?success=true&session_id={CHECKOUT_SESSION_ID}", CancelUrl: profile + "?canceled=true",
	})
}

// subscribe buys a plan and waits until its credits are there.
func (p *person) subscribe() (subscription string) {
	p.Helper()
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	errtest.None(p, err)
	errtest.None(p, p.stripe.PayCheckout(p.Context(), page.GetSessionId(), stripe.CardWorks))
	p.is("active", "pro", 5000)
	return p.text(`SELECT id FROM subscriptions WHERE user_id = $1`, p.id)
}

// is waits until the person has this subscription and balance.
func (p *person) is(status, plan string, balance int64) {
	p.Helper()
	var last string
	deadline := time.Now().Add(30 * time.Second)
	for want := fmt.Sprint(status, " ", plan, " ", balance); last != want; time.Sleep(20 * time.Millisecond) {
		s, err := p.serving[0].GetSubscription(p.ctx, &billingv1.GetSubscriptionRequest{})
		p.must(err)
		c, err := p.serving[0].GetCredits(p.ctx, &billingv1.GetCreditsRequest{})
		p.must(err)
		last = fmt.Sprint(s.GetSubscription().GetStatus(), " ", s.GetSubscription().GetPlan().GetId(), " ", c.GetCredits().GetBalance())
		if last != want && time.Now().After(deadline) {
			p.Fatalf("is %q, want %q", last, want)
		}
	}
}

func (r *rig) text(query string, args ...any) (s string) {
	r.Helper()
	if err := r.pool.QueryRow(r.Context(), query, args...).Scan(&s); err != nil {
		r.Fatalf("%s: %v", query, err)
	}
	return s
}

func (r *rig) count(query string, args ...any) (n int) {
	r.Helper()
	if err := r.pool.QueryRow(r.Context(), query, args...).Scan(&n); err != nil {
		r.Fatalf("%s: %v", query, err)
	}
	return n
}

// settled waits until all that was delivered is applied or parked.
func (r *rig) settled() {
	r.Helper()
	waittest.Eventually(r.T, "all events are delivered and none is pending", func() bool {
		d := r.stripe.Deliveries()
		return d.Pending == 0 && r.count(`SELECT count(*) FROM stripe_events WHERE state = 'pending'`) == 0
	})
}

// add has an instance take its share of the webhooks.
func (r *rig) add(i *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serving = append(r.serving, i)
}

// replace has the webhooks of an instance go to another.
func (r *rig) replace(i int, by *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serving[i] = by
}
