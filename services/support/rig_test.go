package support_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
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
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/support"
)

// underTest is the support service.
var underTest = servicetest.Service[support.Config, clients]{
	Name: "support", New: support.New, As: rpc.ClientConfig{InternalToken: servicetest.InternalToken},
	Client: func(conn grpc.ClientConnInterface) clients {
		return clients{supportv1.NewSupportServiceClient(conn), mailv1.NewMailServiceClient(conn)}
	},
}

// clients are of everything that the service serves.
type clients struct {
	supportv1.SupportServiceClient
	mailv1.MailServiceClient
}

func TestMain(m *testing.M) { underTest.Main(m) }

// rig is everything around the service: a database, NATS, a mail server, and an
// identity service that trusts the issuer's tokens.
type rig struct {
	t       *testing.T
	pool    *pgxpool.Pool
	nats    *bustest.Server
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
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	r := &rig{t: t, pool: pool, nats: bustest.Start(t), smtp: smtptest.Start(t, nil), issuer: authntest.New(t, nil)}
	r.environ = map[string]string{
		"DATABASE_URL":                 databaseURL,
		"DATABASE_DEADLINE":            "10s",
		"DATABASE_STATEMENT_TIMEOUT":   "10s",
		"NATS_URL":                     r.nats.URL(),
		"SMTP_ADDR":                    r.smtp.Addr(),
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

func (r *rig) asUser(email string) context.Context {
	_, token := r.issuer.User(email)
	return r.as(token)
}

func (r *rig) asAdmin() context.Context {
	_, token := r.issuer.Admin("admin@example.com")
	return r.as(token)
}

// effects are what the service has written, by table.
type effects struct{ Tickets, Versions, Messages, Changes, Events, Emails int }

func (r *rig) effects() (e effects) {
	r.t.Helper()
	err := r.pool.QueryRow(r.t.Context(), `SELECT (SELECT count(*) FROM tickets), (SELECT coalesce(sum(version), 0) FROM tickets),
		(SELECT count(*) FROM ticket_messages), (SELECT count(*) FROM ticket_changes), (SELECT count(*) FROM outbox),
		(SELECT count(*) FROM mail.river_job)`).Scan(&e.Tickets, &e.Versions, &e.Messages, &e.Changes, &e.Events, &e.Emails)
	errtest.None(r.t, err)
	return e
}

// sent are the emails that the mail server has taken.
func (r *rig) sent(n int) []smtptest.Delivery {
	r.t.Helper()
	waittest.Eventually(r.t, fmt.Sprintf("%d emails", n), func() bool { return len(r.smtp.Accepted()) >= n })
	return r.smtp.Accepted()
}

// recorded waits until n emails are sent for good: a process that dies before that sends its email again.
func (r *rig) recorded(n int) {
	r.t.Helper()
	waittest.Eventually(r.t, fmt.Sprintf("%d emails recorded as sent", n), func() bool {
		return r.count("SELECT count(*) FROM mail.river_job WHERE state = 'completed'") >= n &&
			r.count("SELECT count(*) FROM mail.river_job WHERE state <> 'completed'") == 0
	})
}

func (r *rig) count(sql string) (n int) {
	r.t.Helper()
	errtest.None(r.t, r.pool.QueryRow(r.t.Context(), sql).Scan(&n))
	return n
}

func (r *rig) exec(sql string) {
	r.t.Helper()
	if _, err := r.pool.Exec(r.t.Context(), sql); err != nil {
		r.t.Fatal(err)
	}
}
