package standins_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/standins"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
)

func load(t *testing.T, more ...string) (standins.Config, error) {
	t.Helper()
	return config.Load[standins.Config](append([]string{"MAIL_DIR=" + t.TempDir()}, more...))
}

// inCluster are the settings that a cluster gives, on a free port for each.
func inCluster(t *testing.T) []string {
	t.Helper()
	return []string{
		"STANDINS_IN_CLUSTER=true", "SITE_ORIGIN=https://fledge.test",
		"PROVIDERS_ADDR=" + freeAddr(t), "PROVIDERS_ISSUER=http://fledge-standins:8081", "PROVIDERS_URL=https://accounts.fledge.test",
		"MAIL_SMTP_ADDR=" + freeAddr(t), "MAIL_ADDR=" + freeAddr(t),
		"GITHUB_ADDR=" + freeAddr(t), "GITHUB_URL=https://github.fledge.test",
		"STRIPE_ADDR=" + freeAddr(t), "STRIPE_URL=https://stripe.fledge.test", "STRIPE_WEBHOOK_URL=http://fledge-gateway:8080/api/stripe-webhook",
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := free.Addr()
	errtest.None(t, err)
	return addr
}

// free hands no port out twice in this process.
var free = ports.New()

func start(t *testing.T, environ []string) standins.Config {
	t.Helper()
	cfg, err := load(t, environ...)
	errtest.None(t, err)
	units, err := standins.New(t.Context(), cfg, service.NewRuntime("standins", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	for _, unit := range units {
		stop, err := unit.Start(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", unit.Name, err)
		}
		t.Cleanup(func() {
			if err := stop(context.Background()); err != nil {
				t.Errorf("%s: %v", unit.Name, err)
			}
		})
	}
	return cfg
}

func read(t *testing.T, url string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	errtest.None(t, err)
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	errtest.None(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, response.StatusCode, err)
	}
	return body
}

// TestBrowsersAndPodsHaveAddressesOfTheirOwn: Kratos asks inside, people go outside.
func TestBrowsersAndPodsHaveAddressesOfTheirOwn(t *testing.T) {
	cfg := start(t, inCluster(t))
	var found map[string]any
	errtest.None(t, json.Unmarshal(read(t, "http://"+cfg.ProvidersAddr+"/google/.well-known/openid-configuration"), &found))
	for key, want := range map[string]string{
		"issuer":                 "http://fledge-standins:8081/google",
		"jwks_uri":               "http://fledge-standins:8081/google/keys",
		"authorization_endpoint": "https://accounts.fledge.test/google/authorize",
	} {
		if found[key] != want {
			t.Errorf("%s is %v, want %s", key, found[key], want)
		}
	}
	if releases := string(read(t, "http://"+cfg.GitHubAddr+"/repos/fledge/fledge-mac/releases")); !strings.Contains(releases, `"browser_download_url":"https://github.fledge.test/`) {
		t.Errorf("releases are downloaded elsewhere: %.300s", releases)
	}
	if mail := read(t, "http://"+cfg.MailAddr+"/messages"); !json.Valid(mail) {
		t.Errorf("mail: %s", mail)
	}
}

func TestOnlyThoseThatAreNamedRun(t *testing.T) {
	cfg, err := load(t, append(inCluster(t), "STANDINS=github,mail")...)
	errtest.None(t, err)
	units, err := standins.New(t.Context(), cfg, service.NewRuntime("standins", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	var names []string
	for _, unit := range units {
		names = append(names, unit.Name)
	}
	if !slices.Equal(names, []string{"github", "mail"}) {
		t.Errorf("got %v", names)
	}
}

func TestNoStandInForAPublicSite(t *testing.T) {
	for name, wrong := range map[string]string{
		"a public site":     "SITE_ORIGIN=https://fledge.example.com",
		"no site":           "SITE_ORIGIN=",
		"another stand-in":  "STANDINS=mail,bank",
		"a negative delay":  "DRAIN_DELAY=-1s",
		"a site with paths": "SITE_ORIGIN=https://fledge.test/x",
	} {
		if _, err := load(t, append(inCluster(t), wrong)...); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, wrong := range map[string]string{
		"an open interface": "STANDINS_IN_CLUSTER=false",
		"a public name":     "STRIPE_URL=https://stripe.example.com",
		"a public issuer":   "PROVIDERS_ISSUER=https://accounts.example.com",
		"a public webhook":  "STRIPE_WEBHOOK_URL=http://example.com/api/stripe-webhook",
	} {
		environ := append(inCluster(t), "PROVIDERS_ADDR=0.0.0.0:0", wrong)
		cfg, err := load(t, environ...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := startAll(t, cfg); err == nil {
			t.Errorf("%s: it runs", name)
		}
	}
}

// startAll starts and stops all, and returns why one would not start.
func startAll(t *testing.T, cfg standins.Config) error {
	t.Helper()
	rt := service.NewRuntime("standins", "test", slog.New(slog.DiscardHandler))
	units, err := standins.New(t.Context(), cfg, rt)
	if err != nil {
		return err
	}
	for _, unit := range units {
		stop, err := unit.Start(t.Context())
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = stop(context.Background()) })
	}
	return nil
}
