package stack_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

// forbidden is what the services' logs say when NATS or a colleague has refused them.
var forbidden = regexp.MustCompile(`(?i)permissions violation|peer_forbidden`)

// keepsToItsRights looks for what a service wanted and did not get.
func keepsToItsRights(t *testing.T, opts stack.Options) {
	t.Helper()
	for _, name := range append(services.Names(), "gateway") {
		log, err := os.ReadFile(opts.State.Log(name))
		errtest.None(t, err)
		for line := range strings.Lines(string(log)) {
			if forbidden.MatchString(line) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

// rolesAreWalledOff tries, as each service's role, to get into what is not its own.
func rolesAreWalledOff(t *testing.T, s *stack.Stack) {
	t.Helper()
	for _, service := range services.Names() {
		own, err := pgx.ParseConfig(s.DatabaseURL(service))
		errtest.None(t, err)
		conn, err := pgx.ConnectConfig(t.Context(), own)
		errtest.None(t, err)
		for _, database := range append(services.Names(), "kratos", "") {
			if database == service {
				continue
			}
			other := own.Copy()
			other.Database = "fledge_" + database
			if database == "" {
				other.Database = "postgres"
			}
			if in, err := pgx.ConnectConfig(t.Context(), other); err == nil || sqlState(err) != "42501" {
				t.Errorf("%s enters %s: %v", service, other.Database, err)
				if in != nil {
					_ = in.Close(t.Context())
				}
			}
		}
		for _, sql := range []string{
			"CREATE DATABASE mine", "CREATE ROLE mine", "ALTER ROLE " + own.User + " SUPERUSER", "SET ROLE postgres",
			"GRANT fledge_kratos TO " + own.User, "SELECT pg_read_file('postgresql.conf')", "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT * FROM pg_authid",
		} {
			if _, err := conn.Exec(t.Context(), sql); sqlState(err) != "42501" {
				t.Errorf("%s may %s: %v", service, sql, err)
			}
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// sqlState is the code of a server's error: 42501 is insufficient_privilege.
func sqlState(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}
