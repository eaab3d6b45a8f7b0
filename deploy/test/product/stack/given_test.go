package stack_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/state"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// givenServer is a PostgreSQL that the person brings: what DATABASE_URL names.
func givenServer(t *testing.T, bin string) string {
	t.Helper()
	dir := t.TempDir()
	port, err := ports.New().Port()
	errtest.None(t, err)
	server, err := postgres.Start(t.Context(), postgres.Options{
		Bin: bin, Dir: filepath.Join(dir, "postgres"), Port: port, Password: state.Hex(32)(),
		LogFile: filepath.Join(dir, "log"), ThrowAway: true, Settings: map[string]string{"max_connections": "200"},
	})
	errtest.None(t, err)
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return server.URL()
}

// visit starts a stack, finds it complete, and stops it.
func visit(t *testing.T, opts stack.Options, use func(s *stack.Stack)) {
	t.Helper()
	s, err := stack.Start(t.Context(), opts)
	errtest.None(t, err)
	tester := person.New(s.URLs().Site)
	var status struct {
		Status string `json:"status"`
	}
	if err := tester.SignIn(t.Context(), stack.TesterEmail); err != nil {
		t.Error(err)
	} else if err := tester.Call(t.Context(), http.MethodGet, "/api/get-waitlist-status", nil, &status); err != nil || status.Status != "approved" {
		t.Errorf("the tester is %q, %v", status.Status, err)
	}
	use(s)
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAGivenPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a whole product on two servers, which takes minutes: `make test-long`")
	}
	opts := stacktest.Options(t, stack.InProcess)
	const kept = "SELECT count(*) FROM waitlist_users WHERE email = 'kept@fledge.test'"
	old := givenServer(t, opts.Tools.PostgresBin)

	opts.DatabaseURL = old
	visit(t, opts, func(s *stack.Stack) {
		join := map[string]string{"email": "kept@fledge.test", "source": "hero_section"}
		if err := person.New(s.URLs().Site).Call(t.Context(), http.MethodPost, "/api/add-waitlist-user", join, nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("may be replaced by a fresh one", func(t *testing.T) {
		opts := opts
		opts.DatabaseURL = givenServer(t, opts.Tools.PostgresBin)
		visit(t, opts, func(s *stack.Stack) {
			if n := count(t, database(t, s, "waitlist"), kept); n != 0 {
				t.Errorf("%d entries in a new database", n)
			}
			// NATS has kept the events of the data before.
			waitlist, identity := database(t, s, "waitlist"), database(t, s, "identity")
			waittest.Eventually(t, "events go on", func() bool {
				told := count(t, waitlist, "SELECT count(*) FROM outbox WHERE type LIKE '%.staff.action'")
				return told > 0 && count(t, identity, "SELECT count(*) FROM inbox WHERE consumer = 'identity-audit-waitlist'") == told
			})
		})
	})
	t.Run("is not taken over by another state folder", func(t *testing.T) {
		opts := stacktest.Options(t, stack.InProcess)
		opts.DatabaseURL = old
		s, err := stack.Start(t.Context(), opts)
		if err == nil {
			t.Fatal("it started", s.Stop(t.Context()))
		}
		if lines := strings.Count(err.Error(), "\n"); lines != 0 || !strings.Contains(err.Error(), "bring that folder back") || strings.Contains(err.Error(), "postgres://") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("keeps its data, and belongs to its own folder", func(t *testing.T) {
		visit(t, opts, func(s *stack.Stack) {
			if n := count(t, database(t, s, "waitlist"), kept); n != 1 {
				t.Errorf("%d entries after a restart", n)
			}
		})
	})
}
