package gateway_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway"
	"fledge.dev/gateway/contract"
	"fledge.dev/services/platform/config"
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

func TestConfig(t *testing.T) {
	if _, err := config.Load[gateway.Config](environ(nil)); err != nil {
		t.Fatal(err)
	}
	for key, values := range map[string][]string{
		"SITE_ORIGIN":            {"", "fledge.example", "https://fledge.example/", "https://fledge.example/app", "https://u@fledge.example", "ftp://fledge.example"},
		"KRATOS_PUBLIC_URL":      {"", "kratos:4433", "http://kratos/?x"},
		"IDENTITY_ADDR":          {""},
		"RELEASES_ADDR":          {""},
		"INTERNAL_TOKEN":         {"", "changeme"},
		"TRUSTED_PROXIES":        {"everyone", "10.0.0.1"},
		"REQUEST_TIMEOUT":        {"0s", "soon"},
		"PAYMENT_TIMEOUT":        {"0s", "-1s"},
		"MAX_IN_FLIGHT":          {"0"},
		"RATE_LIMIT_PER_MINUTE":  {"0", "-1"},
		"SIGN_UP_LIMIT_BURST":    {"0"},
		"TOKEN_LIMIT_PER_MINUTE": {"0", "-1"},
		"TOKEN_LIMIT_BURST":      {"0"},
		"BUYING_LIMIT_BURST":     {"0"},
		"MAX_WEBHOOKS_IN_FLIGHT": {"0"},
		"GRPC_TLS_CERT_FILE":     {"only-one-of-three.pem"},
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

// TestGatewayServesWithoutAnyService runs the real units: the gateway must start,
// answer and stop while everything behind it is away.
func TestGatewayServesWithoutAnyService(t *testing.T) {
	addr := freeAddr(t)
	cfg, err := config.Load[gateway.Config](environ(map[string]string{"HTTP_ADDR": addr, "OPS_ADDR": "127.0.0.1:0"}))
	if err != nil {
		t.Fatal(err)
	}
	rt := service.NewRuntime("gateway", "test", obs.NewLogger(io.Discard, "gateway", 0))
	units, err := gateway.New(t.Context(), cfg, rt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt, cfg.Base, units) }()

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
	case <-time.After(10 * time.Second):
		t.Fatal("does not stop")
	}
}

// get polls until the gateway listens.
func get(t *testing.T, url string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
			return resp.StatusCode
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-tick.C:
		}
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
