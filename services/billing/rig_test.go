package billing_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
)

const webhookSecret = "whsec_0123456789abcdef" // not-a-secret

// underTest is the billing service.
var underTest = servicetest.Service[billing.Config, billingv1.BillingServiceClient]{
	Name: "billing", New: billing.New, Client: billingv1.NewBillingServiceClient,
	As: rpc.ClientConfig{InternalToken: servicetest.InternalToken},
}

func TestMain(m *testing.M) { underTest.Main(m) }

// rig is everything around the service: a database, NATS, and an identity service
// that trusts the issuer's tokens.
type rig struct {
	t       *testing.T
	pool    *pgxpool.Pool
	ledger  *ledger.Ledger
	issuer  *authntest.Issuer
	environ map[string]string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	databaseURL := pgtest.New(t, "billing", store.Migrate)
	pool, err := pgxpool.New(t.Context(), databaseURL)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 10 * time.Second}, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	errtest.None(t, err)
	r := &rig{t: t, pool: pool, ledger: credits, issuer: authntest.New(t, nil)}
	r.environ = map[string]string{
		"DATABASE_URL":                    databaseURL,
		"DATABASE_DEADLINE":               "20s",
		"DATABASE_STATEMENT_TIMEOUT":      "20s",
		"NATS_URL":                        bustest.Start(t).URL(),
		"IDENTITY_ADDR":                   servicetest.Identity(t, r.issuer),
		"SITE_ORIGIN":                     authntest.Origin,
		"INTERNAL_TOKEN":                  servicetest.InternalToken,
		"OPS_ADDR":                        "",
		"STRIPE_PUBLISHABLE_KEY":          "pk_test_1",
		"STRIPE_SECRET_KEY":               "sk_test_1",
		"STRIPE_WEBHOOK_SECRETS":          webhookSecret,
		"STRIPE_API_URL":                  "http://127.0.0.1:1",
		"STRIPE_TEST_PRO_PRODUCT_ID":      "prod_pro",
		"STRIPE_TEST_PRO_PRICE_ID":        "price_pro",
		"STRIPE_TEST_BUSINESS_PRODUCT_ID": "prod_business",
		"STRIPE_TEST_BUSINESS_PRICE_ID":   "price_business",
	}
	return r
}

// instance is a running service and how to call it.
type instance struct {
	billingv1.BillingServiceClient
	rt   *service.Runtime
	kill func()
}

// serve runs the service in this process until the test ends.
func (r *rig) serve() instance {
	r.t.Helper()
	client, rt := underTest.Serve(r.t, r.environ)
	// The first look at the keys of tokens has 3 s, which a machine that runs many tests at once can miss.
	_, token := r.issuer.User("first@example.com")
	waittest.Eventually(r.t, "the service has the keys of tokens", func() bool {
		_, err := client.GetSubscription(r.as(token), &billingv1.GetSubscriptionRequest{})
		return err == nil
	})
	return instance{BillingServiceClient: client, rt: rt}
}

// serveOn runs the service on a machine with that clock, in this process until the test ends.
func (r *rig) serveOn(machine clock.Clock) instance {
	r.t.Helper()
	there := underTest
	there.Machine = machine
	client, rt := there.Serve(r.t, r.environ)
	return instance{BillingServiceClient: client, rt: rt}
}

// spawn runs the service in a process of its own.
func (r *rig) spawn() instance {
	r.t.Helper()
	client, kill := underTest.Spawn(r.t, r.environ)
	return instance{BillingServiceClient: client, kill: kill}
}

// as is a context that speaks for the owner of a token.
func (r *rig) as(token string) context.Context {
	return authn.WithPrincipal(r.t.Context(), authn.Principal{Bearer: token})
}

// funded is a new account with credits, and a context that speaks for it.
func (r *rig) funded(amount int64) (id uuid.UUID, ctx context.Context) {
	r.t.Helper()
	name, token := r.issuer.User("user@example.com")
	id = uuid.MustParse(name)
	now := time.Now()
	err := pgx.BeginFunc(r.t.Context(), r.pool, func(tx pgx.Tx) error {
		_, err := r.ledger.Grant(r.t.Context(), tx, ledger.Grant{
			UserID: id, Fact: "sub_" + name + "/1/base", Series: "sub_" + name, Replaces: true, Description: "Pro plan", Amount: amount,
			PeriodStart: now, PeriodEnd: now.AddDate(0, 1, 0),
		})
		return err
	})
	errtest.None(r.t, err)
	return id, r.as(token)
}

func (r *rig) count(query string, args ...any) (n int) {
	r.t.Helper()
	errtest.None(r.t, r.pool.QueryRow(r.t.Context(), query, args...).Scan(&n))
	return n
}
