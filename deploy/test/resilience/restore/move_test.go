package restore_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/state"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestAServiceMovesToAServerOfItsOwn: a replica of the product's PostgreSQL follows it and is read, and becomes billing's
// own server while people join the waitlist.
func TestAServiceMovesToAServerOfItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a whole product of processes and a replica of its database, which takes a minute: `make test-long`")
	}
	opts := stacktest.Options(t, stack.Processes)
	stacktest.Patient(&opts)
	opts.Settings["gateway"] = append(opts.Settings["gateway"], stacktest.NoLimits()...)
	s := stacktest.Start(t, opts)
	account := use(t, s)
	first := superuser(t, s, opts.State)
	second := replicate(t, s, opts, first)
	replica, waitlist := open(t, second.String()), open(t, of(second, "waitlist"))

	var latest time.Duration
	for n := range 20 {
		email := fmt.Sprintf("watched-%d@fledge.test", n)
		errtest.None(t, join(t.Context(), person.New(s.URLs().Site), email))
		joined := time.Now()
		waittest.Eventually(t, "the replica knows who joined", func() bool {
			return value(t, waitlist, "SELECT count(*) FROM waitlist_users WHERE email = $1", email) == "1"
		})
		latest = max(latest, time.Since(joined))
	}
	t.Logf("20 who joined were at the replica after %s at most", latest.Round(time.Millisecond))
	if _, err := open(t, of(second, damaged)).Exec(t.Context(), "DELETE FROM outbox"); err == nil || !strings.Contains(err.Error(), "25006") {
		t.Errorf("the replica was written to: %v", err)
	}

	ledger := "SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '') FROM credit_entries r WHERE user_id = $1"
	before := ask(t, s, damaged, ledger, account)
	joined := load(t, s.URLs().Site)
	billing, err := s.Program(damaged)
	errtest.None(t, err)
	began := time.Now()
	errtest.None(t, billing.Stop(t.Context()))
	written := value(t, open(t, first.String()), "SELECT pg_current_wal_lsn()")
	waittest.Eventually(t, "the replica has all that was written", func() bool {
		return value(t, replica, "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", written) == "true"
	})
	if value(t, replica, "SELECT pg_promote()") != "true" {
		t.Fatal("the replica was not promoted")
	}
	moved := strings.Replace(s.DatabaseURL(damaged), first.Host, second.Host, 1)
	errtest.None(t, os.WriteFile(databaseFile(t, s, damaged), []byte(moved+"\n"), 0o600))
	errtest.None(t, billing.Start(t.Context()))
	t.Logf("billing was away for %s", time.Since(began).Round(time.Millisecond))

	own := open(t, moved)
	if after := value(t, own, ledger, account); after != before {
		t.Errorf("the ledger of an account is %s, was %s", after, before)
	}
	buys := person.New(s.URLs().Site)
	errtest.None(t, buys.SignIn(t.Context(), late))
	errtest.None(t, stacktest.Buy(t.Context(), buys, s.URLs().Site, s.URLs().Stripe))
	credits := "SELECT round(coalesce(sum(balance), 0) / 100.0, 2) FROM credit_accounts WHERE user_id = $1"
	waittest.Eventually(t, "who buys now has credits at the new server", func() bool { return value(t, own, credits, buys.ID()) == "50.00" })
	if old := ask(t, s, damaged, credits, buys.ID()); old != "0.00" {
		t.Errorf("the server of before was written to: %s", old)
	}
	waittest.Eventually(t, "all events of billing are told", func() bool {
		return value(t, own, "SELECT count(*) FROM outbox WHERE stream_seq IS NULL") == "0"
	})
	if n := joined(); n == 0 {
		t.Error("nobody joined meanwhile, which proves nothing")
	}
	// Its server ends before the other parts.
	errtest.None(t, s.StopService(t.Context(), damaged))
}

// replicate starts a streaming replica of a running product's PostgreSQL and returns the way into it.
func replicate(t *testing.T, s *stack.Stack, opts stack.Options, primary *url.URL) *url.URL {
	t.Helper()
	rules, err := os.OpenFile(opts.State.Path("postgres", "pg_hba_tls.conf"), os.O_APPEND|os.O_WRONLY, 0)
	errtest.None(t, err)
	_, err = rules.WriteString("hostssl replication all 127.0.0.1/32 scram-sha-256\n")
	errtest.None(t, err)
	errtest.None(t, rules.Close())
	value(t, open(t, primary.String()), "SELECT pg_reload_conf()")

	copied, err := state.Open(t.TempDir() + "/replica")
	errtest.None(t, err)
	copyRunning(t, s, opts.State, copied, func() {})
	errtest.None(t, os.WriteFile(copied.Path(dataDir, "standby.signal"), nil, 0o600))
	port, err := ports.New().Port()
	errtest.None(t, err)
	password, _ := primary.User.Password()
	server, err := postgres.Start(t.Context(), postgres.Options{
		Bin: opts.Tools.PostgresBin, Dir: copied.Path("postgres"), Port: port, Password: password, LogFile: copied.Log("postgres"),
		TLS: &postgres.TLS{
			CertFile: opts.State.Path("postgres", "server.crt"), KeyFile: opts.State.Path("postgres", "server.key"),
			CAFile: primary.Query().Get("sslrootcert"),
		},
		Settings: map[string]string{"primary_conninfo": "host=127.0.0.1 port=" + primary.Port() + " user=postgres password=" + password + " sslmode=require"},
	})
	errtest.None(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	replica := *primary
	replica.Host = ports.Loopback(port)
	return &replica
}

// of is the way into a service's database at a server.
func of(server *url.URL, service string) string {
	at := *server
	at.Path = "/fledge_" + service
	return at.String()
}

// databaseFile is the file in which a service finds the URL of its database.
func databaseFile(t *testing.T, s *stack.Stack, service string) string {
	t.Helper()
	settings, err := s.Settings(service)
	errtest.None(t, err)
	for _, setting := range settings {
		if file, is := strings.CutPrefix(setting, "DATABASE_URL_FILE="); is {
			return file
		}
	}
	t.Fatalf("%s has no database", service)
	return ""
}

func open(t *testing.T, server string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server)
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func value(t *testing.T, conn *pgx.Conn, query string, args ...any) string {
	t.Helper()
	var answer any
	errtest.None(t, conn.QueryRow(t.Context(), "SELECT ("+query+")::text", args...).Scan(&answer))
	return fmt.Sprint(answer)
}
