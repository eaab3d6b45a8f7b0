package loopback_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"fledge.dev/deploy/standins/loopback"
	"fledge.dev/services/platform/errtest"
)

func listens(t *testing.T, addr string, inCluster bool) error {
	t.Helper()
	listener, err := loopback.Listen(t.Context(), addr, inCluster)
	if err != nil {
		return err
	}
	return listener.Close()
}

func TestOnlyThisMachineIsAccepted(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		if err := listens(t, addr, false); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.168.1.2:80", "10.0.0.1:1", "example.com:80", "localhost.example.com:80", "127.0.0.1", ""} {
		if err := listens(t, addr, false); err == nil {
			t.Errorf("%q was accepted", addr)
		}
	}
	if err := listens(t, "0.0.0.0:0", true); err != nil {
		t.Errorf("in a cluster: %v", err)
	}
}

func TestAStandInHasNoPublicName(t *testing.T) {
	loopback.Among(t, nil, itself, network)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	if got, err := loopback.URL("", listener); err != nil || got != "http://"+listener.Addr().String() {
		t.Errorf("the listener's own: %q, %v", got, err)
	}
	for own, fits := range map[string]bool{
		"https://accounts.fledge.test": true, "http://accounts.localhost:8080": true, "http://fledge-standins:8081": true,
		"https://accounts.example.com": false, "http://203.0.113.7": false, "https://fledge.test/x": false, "ftp://fledge.test": false, "fledge.test": false,
	} {
		if _, err := loopback.URL(own, listener); (err == nil) != fits {
			t.Errorf("%s: %v", own, err)
		}
	}
}

func TestForeignNamesAreTurnedAway(t *testing.T) {
	loopback.Among(t, nil, itself, network)
	handler := loopback.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, status := range map[string]int{
		"localhost:8084": 200, "127.0.0.1:8084": 200, "stripe.fledge.test": 200, "fledge-standins:8084": 200,
		"evil.example": 421, "127.0.0.1.evil.example:8084": 421, "": 421,
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Host = host
		answer := httptest.NewRecorder()
		if handler.ServeHTTP(answer, request); answer.Code != status {
			t.Errorf("%q: %d, want %d", host, answer.Code, status)
		}
	}
}

func TestAPageHasItsPolicyAndIsNotKept(t *testing.T) {
	answer := httptest.NewRecorder()
	loopback.Page("default-src 'none'", http.NotFoundHandler()).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
