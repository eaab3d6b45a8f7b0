package billing_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/billing"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

const (
	internalToken = "0123456789abcdef0123456789abcdef"
	webhookSecret = "whsec_0123456789abcdef" // not-a-secret
	// childVariable makes the test binary be the service, so that a test can
	// kill it as an operating system does.
	childVariable = "BILLING_TEST_RUN_SERVICE"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		service.Main("billing", billing.New)
		return
	}
	os.Exit(m.Run())
}

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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 10 * time.Second}, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, pool: pool, ledger: credits, issuer: authntest.New(t, nil)}
	r.environ = map[string]string{
		"DATABASE_URL":                    databaseURL,
		"DATABASE_DEADLINE":               "20s",
		"DATABASE_STATEMENT_TIMEOUT":      "20s",
		"NATS_URL":                        bustest.Start(t).URL(),
		"IDENTITY_ADDR":                   serveIdentity(t, r.issuer),
		"SITE_ORIGIN":                     authntest.Origin,
		"INTERNAL_TOKEN":                  internalToken,
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
	cfg, err := config.Load[billing.Config](environment(r.environ))
	if err != nil {
		r.t.Fatal(err)
	}
	logs, sink := io.Pipe()
	rt := service.NewRuntime("billing", "dev", obs.NewLogger(sink, "billing", slog.LevelInfo))
	units, err := billing.New(r.t.Context(), cfg, rt)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt, cfg.ServiceBase(), units) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("the service stopped with %v", err)
		}
		_ = sink.Close()
	})
	return instance{BillingServiceClient: r.dial(awaitAddr(r.t, logs)), rt: rt}
}

// spawn runs the service in a process of its own.
func (r *rig) spawn() instance {
	r.t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(environment(r.environ), childVariable+"=1", "PATH="+os.Getenv("PATH"))
	logs, err := child.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		r.t.Fatal(err)
	}
	kill := func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	r.t.Cleanup(kill)
	return instance{BillingServiceClient: r.dial(awaitAddr(r.t, logs)), kill: kill}
}

func (r *rig) dial(addr string) billingv1.BillingServiceClient {
	r.t.Helper()
	conn, err := rpc.Dial(addr, rpc.ClientConfig{InternalToken: internalToken})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return billingv1.NewBillingServiceClient(conn)
}

// awaitAddr reads the service's log until it names its address, and keeps
// reading so that the service can go on writing.
func awaitAddr(t *testing.T, logs io.Reader) string {
	t.Helper()
	found := make(chan string, 1)
	go func() {
		defer close(found)
		lines := bufio.NewScanner(logs)
		for lines.Scan() {
			var line struct{ Msg, Addr string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "grpc listening" {
				found <- line.Addr
			}
		}
	}()
	select {
	case addr, ok := <-found:
		if !ok {
			t.Fatal("the service ended before it listened")
		}
		return addr
	case <-time.After(30 * time.Second):
		t.Fatal("the service does not listen after 30 s")
		return ""
	}
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
	if err != nil {
		r.t.Fatal(err)
	}
	return id, r.as(token)
}

func (r *rig) count(query string, args ...any) (n int) {
	r.t.Helper()
	if err := r.pool.QueryRow(r.t.Context(), query, args...).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func environment(values map[string]string) []string {
	var list []string
	for key, value := range values {
		list = append(list, fmt.Sprintf("%s=%s", key, value))
	}
	return list
}

// serveIdentity answers for the issuer as the identity service would.
func serveIdentity(t *testing.T, issuer *authntest.Issuer) (addr string) {
	t.Helper()
	rt := service.NewRuntime("identity", "dev", obs.NewLogger(io.Discard, "identity", slog.LevelError))
	policy := authn.Policy{}
	for _, method := range identityv1.IdentityService_ServiceDesc.Methods {
		policy["/"+identityv1.IdentityService_ServiceDesc.ServiceName+"/"+method.MethodName] = authn.Internal
	}
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: time.Minute},
		rt, issuer.Verifier(), issuer, policy)
	if err != nil {
		t.Fatal(err)
	}
	server.Register(&identityv1.IdentityService_ServiceDesc, identity{issuer: issuer})
	stop, err := server.Unit().Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop(context.Background()) })
	return server.Addr()
}

type identity struct {
	identityv1.UnimplementedIdentityServiceServer
	issuer *authntest.Issuer
}

func (i identity) GetJWKS(ctx context.Context, _ *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	jwks, err := i.issuer.JWKS(ctx)
	return &identityv1.GetJWKSResponse{Jwks: jwks}, err
}

func (i identity) CheckAccess(ctx context.Context, req *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	rights, err := i.issuer.CheckAccess(ctx, authn.Principal{UserID: req.GetUserId(), SessionID: req.GetSessionId()})
	resp := &identityv1.CheckAccessResponse{SignedIn: rights.SignedIn, Active: rights.Active}
	if rights.Admin {
		resp.Roles = append(resp.Roles, identityv1.Role_ROLE_ADMIN)
	}
	return resp, err
}
