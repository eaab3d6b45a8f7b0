package support_test

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

	"github.com/jackc/pgx/v5/pgxpool"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/support"
)

const (
	internalToken = "0123456789abcdef0123456789abcdef"
	// childVariable makes the test binary be the service, so that a test can
	// kill it as an operating system does.
	childVariable = "SUPPORT_TEST_RUN_SERVICE"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		service.Main("support", support.New)
		return
	}
	os.Exit(m.Run())
}

// rig is everything around the service: a database, NATS, a mail server, and an
// identity service that trusts the issuer's tokens.
type rig struct {
	t       *testing.T
	pool    *pgxpool.Pool
	smtp    *smtptest.Server
	issuer  *authntest.Issuer
	environ map[string]string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	databaseURL := pgtest.New(t, "support", func(ctx context.Context, url string) error {
		return support.Config{Database: pg.Config{URL: config.Secret(url)}}.Migrate(ctx)
	})
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	r := &rig{t: t, pool: pool, smtp: smtptest.Start(t, nil), issuer: authntest.New(t, nil)}
	r.environ = map[string]string{
		"DATABASE_URL":                 databaseURL,
		"DATABASE_DEADLINE":            "10s",
		"DATABASE_STATEMENT_TIMEOUT":   "10s",
		"NATS_URL":                     bustest.Start(t).URL(),
		"SMTP_ADDR":                    r.smtp.Addr(),
		"SMTP_TLS":                     "none",
		"SMTP_TIMEOUT":                 "5s",
		"MAIL_RESCUE_STUCK_JOBS_AFTER": "10s",
		"IDENTITY_ADDR":                serveIdentity(t, r.issuer),
		"SITE_ORIGIN":                  authntest.Origin,
		"INTERNAL_TOKEN":               internalToken,
		"OPS_ADDR":                     "",
	}
	return r
}

// instance is a running service and how to call it.
type instance struct {
	supportv1.SupportServiceClient
	rt   *service.Runtime
	kill func()
}

// serve runs the service in this process until the test ends.
func (r *rig) serve() instance {
	r.t.Helper()
	cfg, err := config.Load[support.Config](environment(r.environ))
	if err != nil {
		r.t.Fatal(err)
	}
	logs, sink := io.Pipe()
	rt := service.NewRuntime("support", "dev", obs.NewLogger(sink, "support", slog.LevelInfo))
	units, err := support.New(r.t.Context(), cfg, rt)
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
	return instance{SupportServiceClient: r.dial(awaitAddr(r.t, logs)), rt: rt}
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
	return instance{SupportServiceClient: r.dial(awaitAddr(r.t, logs)), kill: kill}
}

func (r *rig) dial(addr string) supportv1.SupportServiceClient {
	r.t.Helper()
	conn, err := rpc.Dial(addr, rpc.ClientConfig{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return supportv1.NewSupportServiceClient(conn)
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

func (r *rig) asUser(email string) context.Context {
	_, token := r.issuer.User(email)
	return r.as(token)
}

func (r *rig) asAdmin() context.Context {
	_, token := r.issuer.Admin("admin@example.com")
	return r.as(token)
}

// effects are what the service has written, by table.
type effects struct{ Tickets, Versions, Messages, Changes, Events, Letters int }

func (r *rig) effects() (e effects) {
	r.t.Helper()
	err := r.pool.QueryRow(r.t.Context(), `SELECT (SELECT count(*) FROM tickets), (SELECT coalesce(sum(version), 0) FROM tickets),
		(SELECT count(*) FROM ticket_messages), (SELECT count(*) FROM ticket_changes), (SELECT count(*) FROM outbox),
		(SELECT count(*) FROM mail.river_job)`).Scan(&e.Tickets, &e.Versions, &e.Messages, &e.Changes, &e.Events, &e.Letters)
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

// sent are the letters that the mail server has taken.
func (r *rig) sent(n int) []smtptest.Delivery {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d letters", n), func() bool { return len(r.smtp.Accepted()) >= n })
	return r.smtp.Accepted()
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.Done():
			t.Fatalf("not within a minute: %s", what)
		case <-tick.C:
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
		resp.Roles = []identityv1.Role{identityv1.Role_ROLE_ADMIN}
	}
	return resp, err
}
