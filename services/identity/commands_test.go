package identity_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/identity"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

// command runs one of the binary's commands.
func command(t *testing.T, environ []string, name string, args ...string) (string, error) {
	t.Helper()
	return commandOn(t, clock.System(), environ, name, args...)
}

// commandOn is command on a machine with that clock.
func commandOn(t *testing.T, clk clock.Clock, environ []string, name string, args ...string) (string, error) {
	t.Helper()
	commands := identity.Commands()
	i := slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("there is no command %s", name)
	}
	var out, log bytes.Buffer
	rt := service.NewRuntime("identity", "test", obs.NewLogger(&log, "identity", 0))
	rt.Clock = clk
	err := commands[i].Do(t.Context(), service.Call{Args: args, Environ: environ, Out: &out, Runtime: rt})
	return out.String(), err
}

// keys lists "purpose state", sorted.
func (r *rig) keys() []string {
	r.t.Helper()
	return pgtest.All[string](r.t, r.db, `SELECT purpose || ' ' || state FROM keys ORDER BY 1`)
}

func TestRotateKeysCommand(t *testing.T) {
	r := newRig(t)
	env := environ(r.url, r.nats.URL(), r.kratos.server.URL)
	out, err := command(t, env, "rotate-keys", "access")
	if err != nil || !strings.Contains(out, "take over at about") {
		t.Fatalf("%q, %v", out, err)
	}
	if got := r.keys(); !slices.Equal(got, []string{"access_token active", "access_token next", "refresh_token active"}) {
		t.Errorf("keys %v", got)
	}
	if _, err := command(t, env, "rotate-keys"); err != nil {
		t.Fatal(err)
	}
	if got := r.keys(); !slices.Equal(got, []string{"access_token active", "access_token next", "refresh_token active", "refresh_token next"}) {
		t.Errorf("keys %v", got)
	}
	out, err = command(t, env, "rotate-keys", "access", "--now")
	if err != nil || !strings.Contains(out, "older ones are deleted") {
		t.Fatalf("%q, %v", out, err)
	}
	if got := r.keys(); !slices.Equal(got, []string{"access_token active", "refresh_token active", "refresh_token next"}) {
		t.Errorf("keys %v", got)
	}
	for _, wrong := range [][]string{{"soon"}, {"--later"}, {"access", "refresh"}, {"--now=maybe"}} {
		if _, err := command(t, env, "rotate-keys", wrong...); err == nil {
			t.Errorf("%v was taken", wrong)
		}
	}
	if _, err := command(t, []string{"DATABASE_URL=" + r.url}, "rotate-keys"); err == nil || !strings.Contains(err.Error(), "KEY_ENCRYPTION_KEY") {
		t.Errorf("without the encryption key: %v", err)
	}
}

func TestKratosConfigCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kratos")
	env := []string{
		"SITE_ORIGIN=http://localhost:8080", "KRATOS_STAND_IN_URL=http://127.0.0.1:8081", "KRATOS_DATABASE_URL=postgres://kratos@127.0.0.1:5432/kratos",
		"KRATOS_ADMIN_URL=http://127.0.0.1:4434", "KRATOS_HOOK_URL=http://127.0.0.1:8090", "HOOK_KEY=" + hookKey,
		"KRATOS_COOKIE_SECRETS=a-cookie-secret-of-32-characters", "KRATOS_CIPHER_SECRETS=a-cipher-secret-of-32-characters",
	}
	for name, wrong := range map[string]struct {
		environ, args []string
	}{
		"no directory":    {env, nil},
		"two directories": {env, []string{dir, dir}},
		"a flag":          {env, []string{"--check"}},
		"no settings":     {nil, []string{dir}},
		"a wrong one":     {append(slices.Clone(env), "SITE_ORIGIN=https://fledge.example"), []string{dir}},
	} {
		if _, err := command(t, wrong.environ, "kratos-config", wrong.args...); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
	out, err := command(t, env, "kratos-config", dir)
	if err != nil || !strings.Contains(out, "kratos.yml") {
		t.Fatalf("%q, %v", out, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "kratos.yml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
