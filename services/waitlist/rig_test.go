package waitlist_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/waitlist"
)

// underTest is the waitlist service.
var underTest = servicetest.Service[waitlist.Config, clients]{
	Name: "waitlist", New: waitlist.New, As: rpc.ClientConfig{InternalToken: servicetest.InternalToken},
	Client: func(conn grpc.ClientConnInterface) clients {
		return clients{waitlistv1.NewWaitlistServiceClient(conn), mailv1.NewMailServiceClient(conn)}
	},
}

// clients are of everything that the service serves.
type clients struct {
	waitlistv1.WaitlistServiceClient
	mailv1.MailServiceClient
}

func TestMain(m *testing.M) { underTest.Main(m) }

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
	errtest.None(t, err)
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
		"IDENTITY_ADDR":                servicetest.Identity(t, r.issuer),
		"SITE_ORIGIN":                  authntest.Origin,
		"INTERNAL_TOKEN":               servicetest.InternalToken,
		"OPS_ADDR":                     "",
	}
	return r
}

// instance is a running service and how to call it.
type instance struct {
	clients
	rt   *service.Runtime
	kill func()
}

// serve runs the service in this process until the test ends.
func (r *rig) serve() instance {
	r.t.Helper()
	client, rt := underTest.Serve(r.t, r.environ)
	return instance{clients: client, rt: rt}
}

// spawn runs the service in a process of its own.
func (r *rig) spawn() instance {
	r.t.Helper()
	client, kill := underTest.Spawn(r.t, r.environ)
	return instance{clients: client, kill: kill}
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
	errtest.None(r.t, err)
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
	errtest.None(r.t, r.pool.QueryRow(r.t.Context(), query, args...).Scan(&n))
	return n
}
