package stack

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

func TestAnInstallationHasTheChartsSettings(t *testing.T) {
	const chart = "other LOG_LEVEL=debug\nidentity DELETION_GRACE=168h\nidentity OPS_ADDR=:9090\nidentity DRAIN_DELAY=5s\n" +
		"identity GOOGLE_CLIENT_SECRET_FILE=/run/secrets/fledge/GOOGLE_CLIENT_SECRET\n"
	dir := t.TempDir()
	got, err := asInstalled(chart, "identity", dir, []string{"OPS_ADDR=127.0.0.1:1", "GOOGLE_CLIENT_SECRET=abc"})
	errtest.None(t, err)
	file := filepath.Join(dir, "identity-GOOGLE_CLIENT_SECRET")
	if want := []string{"OPS_ADDR=127.0.0.1:1", "DELETION_GRACE=168h", "GOOGLE_CLIENT_SECRET_FILE=" + file}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if content, err := os.ReadFile(file); string(content) != "abc\n" {
		t.Errorf("%q, %v", content, err)
	}
	for _, setting := range []string{"HOOK_KEY_FILE=/run/secrets/fledge/HOOK_KEY", "MAIL_ADDR=dns:///fledge-mail:9000"} {
		if _, err := asInstalled("identity "+setting, "identity", dir, nil); err == nil || !strings.Contains(err.Error(), "nothing takes its place") {
			t.Errorf("%s: %v", setting, err)
		}
	}
	if _, err := asInstalled(chart, "billing", dir, nil); err == nil {
		t.Error("a program that the chart does not have")
	}
}

// TestEveryProgramTakesItsSettingsOfAnInstallation, with what the chart really sets, and has no
// secret of others in its environment.
func TestEveryProgramTakesItsSettingsOfAnInstallation(t *testing.T) {
	dir, err := state.Open(t.TempDir())
	errtest.None(t, err)
	s := &Stack{opts: Options{Root: filepath.Join("..", "..", ".."), State: dir, Form: Processes, PublicHost: "fledge.dev", Replicas: ReplicasOfAll(2)}, links: map[string]edge{}}
	if s.plan, err = newPlan(s.opts); err != nil {
		t.Fatal(err)
	}
	if s.secrets, err = loadSecrets(dir); err != nil {
		t.Fatal(err)
	}
	s.databases.files = map[string]string{}
	for _, prepare := range []func() error{func() error { return s.startAuthority(t.Context()) }, s.makeAppleKey} {
		errtest.None(t, prepare())
	}
	for name, program := range programs() {
		s.databases.files[name] = dir.Path("secrets", "database-url-"+name)
		errtest.None(t, renameio.WriteFile(s.databases.files[name], []byte("postgres://127.0.0.1/"+name+"\n"), 0o600))
		env, err := s.settings(name + "-2")
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := program.Load(env); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, secret := range []string{"GOOGLE_CLIENT_SECRET", "APPLE_PRIVATE_KEY", "GITHUB_TOKEN", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRETS"} {
			if slices.ContainsFunc(env, func(setting string) bool { return strings.HasPrefix(setting, secret+"=") }) {
				t.Errorf("%s has %s in its environment", name, secret)
			}
		}
	}
}
