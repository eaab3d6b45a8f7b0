package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway"
	"fledge.dev/gateway/contract"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// environ is a complete configuration; set replaces single values, and drops a
// key for "".
func environ(set map[string]string) []string {
	values := map[string]string{
		"HTTP_ADDR": "127.0.0.1:0", "SITE_ORIGIN": "http://localhost:8080", "KRATOS_PUBLIC_URL": "http://127.0.0.1:4433",
		"IDENTITY_ADDR": "127.0.0.1:1", "BILLING_ADDR": "127.0.0.1:1", "WAITLIST_ADDR": "127.0.0.1:1",
		"SUPPORT_ADDR": "127.0.0.1:1", "RELEASES_ADDR": "dns:///releases:9000", "INTERNAL_TOKEN": strings.Repeat("t", 32),
	}
	for key, value := range set {
		values[key] = value
	}
	var all []string
	for key, value := range values {
		if value != "" {
			all = append(all, key+"="+value)
		}
	}
	return all
}

// TestAnAudienceBehindOneAddressSignsIn: all at the same moment, and on their Macs.
func TestAnAudienceBehindOneAddressSignsIn(t *testing.T) {
	cfg, err := config.Load[gateway.Config](environ(nil))
	errtest.None(t, err)
	for name, limit := range map[string]struct {
		rate limits.Rate
		each int
	}{
		"sign-ins": {limits.Rate{PerMinute: cfg.SignInLimitPerMinute, Burst: cfg.SignInLimitBurst}, 1},
		"tokens":   {limits.Rate{PerMinute: cfg.TokenLimitPerMinute, Burst: cfg.TokenLimitBurst}, 2}, // the code, and its trade
	} {
		buckets := limits.NewPerClient(limit.rate, clock.NewFake(time.Unix(0, 0)))
		for i := range 80 * limit.each {
			if _, err := buckets.Take(netip.MustParseAddr("203.0.113.7")); err != nil {
				t.Fatalf("%s: the request %d: %v", name, i+1, err)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	if _, err := config.Load[gateway.Config](environ(nil)); err != nil {
		t.Fatal(err)
	}
	for key, values := range map[string][]string{
		"SITE_ORIGIN":                       {"", "fledge.example", "https://fledge.example/", "https://fledge.example/app", "https://u@fledge.example", "ftp://fledge.example"},
		"KRATOS_PUBLIC_URL":                 {"", "kratos:4433", "http://kratos/?x"},
		"IDENTITY_ADDR":                     {""},
		"RELEASES_ADDR":                     {""},
		"INTERNAL_TOKEN":                    {"", "changeme"},
		"TRUSTED_PROXIES":                   {"everyone", "10.0.0.1", "fe80::/10%eth0", "0.0.0.0/0", "10.0.0.0/8,::/0", "::ffff:10.0.0.0/104"},
		"CONNECT_PATIENCE":                  {"0s", "long"},
		"REQUEST_TIMEOUT":                   {"0s", "soon"},
		"PAYMENT_TIMEOUT":                   {"0s", "-1s"},
		"MAX_IN_FLIGHT":                     {"0"},
		"RATE_LIMIT_PER_MINUTE":             {"0", "-1", "NaN"},
		"SIGN_UP_LIMIT_BURST":               {"0"},
		"TOKEN_LIMIT_PER_MINUTE":            {"0", "-1"},
		"TOKEN_LIMIT_BURST":                 {"0"},
		"CHECKOUT_LIMIT_BURST":              {"0"},
		"CHECKOUT_SYNC_LIMIT_PER_MINUTE":    {"0", "-1"},
		"CHECKOUT_SYNC_LIMIT_BURST":         {"0"},
		"MAX_WEBHOOKS_IN_FLIGHT":            {"0"},
		"MAX_IN_FLIGHT_PER_CLIENT":          {"0"},
		"MAX_WEBHOOKS_IN_FLIGHT_PER_CLIENT": {"0"},
		"SESSION_LIMIT_PER_MINUTE":          {"0", "-1"},
		"SESSION_LIMIT_BURST":               {"0"},
		"BODY_TIMEOUT":                      {"0s", "-1s"},
		"GRPC_TLS_CERT_FILE":                {"only-one-of-three.pem"},
	} {
		for _, value := range values {
			if _, err := config.Load[gateway.Config](environ(map[string]string{key: value})); err == nil {
				t.Errorf("%s=%q is accepted", key, value)
			}
		}
	}
}

func TestDescriptionIsValid(t *testing.T) {
	if _, err := contract.Load(gateway.OpenAPI); err != nil {
		t.Fatal(err)
	}
}

// TestTheDescriptionTellsTheRatesOfARoute as they are without settings.
func TestTheDescriptionTellsTheRatesOfARoute(t *testing.T) {
	cfg, err := config.Load[gateway.Config](environ(nil))
	errtest.None(t, err)
	rates := map[string]limits.Rate{
		"/api/auth/session":          {PerMinute: cfg.SessionLimitPerMinute, Burst: cfg.SessionLimitBurst},
		"/api/auth/second-factor":    {PerMinute: cfg.SignInLimitPerMinute, Burst: cfg.SignInLimitBurst},
		"/api/sync-checkout-session": {PerMinute: cfg.CheckoutSyncLimitPerMinute, Burst: cfg.CheckoutSyncLimitBurst},
	}
	told := regexp.MustCompile(`(\d+)\s+times\s+a\s+minute(?:\s+for\s+one\s+client\s+address,\s+(\d+)\s+of\s+them\s+at\s+once)?`)
	path, found := regexp.MustCompile(`(?m)^  (/api/\S+):$`), 0
	at := append(path.FindAllSubmatchIndex(gateway.OpenAPI, -1), []int{len(gateway.OpenAPI)})
	for i := range len(at) - 1 {
		name := string(gateway.OpenAPI[at[i][2]:at[i][3]])
		for _, match := range told.FindAllSubmatch(gateway.OpenAPI[at[i][1]:at[i+1][0]], -1) {
			found++
			rate, known := rates[name]
			if !known || string(match[1]) != fmt.Sprint(rate.PerMinute) || len(match[2]) > 0 && string(match[2]) != fmt.Sprint(rate.Burst) {
				t.Errorf("of %s it says %q, the rate is %+v", name, match[0], rate)
			}
		}
	}
	if found != len(rates) {
		t.Errorf("%d routes tell their rate, want %d", found, len(rates))
	}
}

// TestGatewayServesWithoutAnyService runs the real units: the gateway must start,
// answer and stop while everything behind it is down.
func TestGatewayServesWithoutAnyService(t *testing.T) {
	cfg, err := config.Load[gateway.Config](environ(map[string]string{"OPS_ADDR": "127.0.0.1:0", "CONNECT_PATIENCE": "100ms"}))
	errtest.None(t, err)
	log, logged := io.Pipe()
	rt := service.NewRuntime("gateway", "test", obs.NewLogger(logged, "gateway", 0))
	units, err := gateway.New(t.Context(), cfg, rt)
	errtest.None(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- service.Run(ctx, rt, cfg.Base, units)
		_ = logged.Close()
	}()
	addr := listening(t, log)

	for path, status := range map[string]int{
		"/api/docs": http.StatusOK, "/api/health": http.StatusServiceUnavailable,
		"/api/get-latest-downloads": http.StatusServiceUnavailable, "/api/auth/session": http.StatusUnauthorized,
	} {
		if got := get(t, "http://"+addr+path); got != status {
			t.Errorf("%s answers %d, want %d", path, got, status)
		}
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("does not stop")
	}
}

func get(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	errtest.None(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	errtest.None(t, err)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// listening waits for the line of the log that tells where the gateway listens. What
// comes after it is read and dropped.
func listening(t *testing.T, log io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var entry struct{ Msg, Addr string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "http listening" {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return entry.Addr
		}
	}
	t.Fatal("stopped without listening")
	return ""
}
