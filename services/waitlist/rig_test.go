package waitlist_test

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
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist"
)

const (
	internalToken = "0123456789abcdef0123456789abcdef"
	// childVariable makes the test binary be the service, so that a test can
	// kill it as an operating system does.
	childVariable = "WAITLIST_TEST_RUN_SERVICE"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		service.Main("waitlist", waitlist.New)
		return
	}
	os.Exit(m.Run())
}

// rig is everything around the service: a database, NATS, a mail server, and an
// identity service that trusts the issuer's tokens.
type rig struct {
	t       *testing.T
	pool    *pgxpool.Pool
	nats    *bustest.Server
	mailbox *mailbox
	issuer  *authntest.Issuer
	environ map[string]string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	databaseURL := pgtest.New(t, "waitlist", func(ctx context.Context, url string) error {
		return waitlist.Config{Database: pg.Config{URL: config.Secret(url)}}.Migrate(ctx)
	})
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	r := &rig{t: t, pool: pool, nats: bustest.Start(t), mailbox: newMailbox(t), issuer: authntest.New(t, nil)}
	r.environ = map[string]string{
		"DATABASE_URL":                 databaseURL,
		"DATABASE_DEADLINE":            "10s",
		"DATABASE_STATEMENT_TIMEOUT":   "10s",
		"NATS_URL":                     r.nats.URL(),
		"SMTP_ADDR":                    r.mailbox.addr,
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
	waitlistv1.WaitlistServiceClient
	rt   *service.Runtime
	kill func()
}

// serve runs the service in this process until the test ends.
func (r *rig) serve() instance {
	r.t.Helper()
	cfg, err := config.Load[waitlist.Config](environment(r.environ))
	if err != nil {
		r.t.Fatal(err)
	}
	logs, sink := io.Pipe()
	rt := service.NewRuntime("waitlist", "dev", obs.NewLogger(sink, "waitlist", slog.LevelInfo))
	units, err := waitlist.New(r.t.Context(), cfg, rt)
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
	return instance{WaitlistServiceClient: r.dial(awaitAddr(r.t, logs)), rt: rt}
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
	return instance{WaitlistServiceClient: r.dial(awaitAddr(r.t, logs)), kill: kill}
}

func (r *rig) dial(addr string) waitlistv1.WaitlistServiceClient {
	r.t.Helper()
	conn, err := rpc.Dial(addr, rpc.ClientConfig{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return waitlistv1.NewWaitlistServiceClient(conn)
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

// asAdmin is a context that speaks for an administrator.
func (r *rig) asAdmin() context.Context {
	_, token := r.issuer.Admin("admin@example.com")
	return r.as(token)
}

// join signs an address up.
func (r *rig) join(s instance, address string) {
	r.t.Helper()
	_, err := s.Join(r.t.Context(), &waitlistv1.JoinRequest{Email: address, Source: waitlistv1.Source_SOURCE_HERO_SECTION})
	if err != nil {
		r.t.Fatal(err)
	}
}

// joined signs an address up and returns its id.
func (r *rig) joined(s instance, address string) (id string) {
	r.t.Helper()
	r.join(s, address)
	resp, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{Search: address})
	if err != nil || len(resp.GetUsers()) != 1 {
		r.t.Fatalf("listing %s: %v, %v", address, resp, err)
	}
	return resp.GetUsers()[0].GetId()
}

func (r *rig) approve(s instance, id string) {
	r.t.Helper()
	if _, err := s.ApproveUser(r.asAdmin(), &waitlistv1.ApproveUserRequest{Id: id}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) remove(s instance, id string) {
	r.t.Helper()
	if _, err := s.RemoveUser(r.asAdmin(), &waitlistv1.RemoveUserRequest{Id: id}); err != nil {
		r.t.Fatal(err)
	}
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
		resp.Roles = []identityv1.Role{identityv1.Role_ROLE_ADMIN}
	}
	return resp, err
}
