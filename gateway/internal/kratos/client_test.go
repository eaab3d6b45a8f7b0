package kratos_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/proxytest"
)

func TestASickKratosIsLeftAlone(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	for range 20 {
		if _, err := client.SignIn(t.Context(), kratos.Visitor{}, "google", "/profile", false); !errors.Is(err, fault.Unavailable) {
			t.Fatalf("got %v", err)
		}
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("%d calls, want 5", n)
	}
}

// TestAProviderThatIsDownLeavesTheOther: Kratos asks the provider in the second call.
func TestAProviderThatIsDownLeavesTheOther(t *testing.T) {
	var google atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, _ := io.ReadAll(r.Body); {
		case strings.Contains(string(body), `"google"`):
			google.Add(1)
			w.WriteHeader(http.StatusBadGateway)
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = w.Write([]byte(`{"redirect_browser_to":"https://appleid.apple.com/"}`))
		default:
			_, _ = w.Write([]byte(`{"id":"f1"}`))
		}
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	for range 20 {
		if _, err := client.SignIn(t.Context(), kratos.Visitor{}, "google", "/profile", false); !errors.Is(err, fault.Unavailable) {
			t.Fatalf("got %v", err)
		}
	}
	if n := google.Load(); n != 5 {
		t.Errorf("%d calls for the provider that is down, want 5", n)
	}
	if start, err := client.SignIn(t.Context(), kratos.Visitor{}, "apple", "/profile", false); err != nil || start.URL != "https://appleid.apple.com/" {
		t.Errorf("the other provider: %q, %v", start.URL, err)
	}
}

// TestHealthAndTheBreakersAreApart: a check goes out while a breaker is open, and opens none.
func TestHealthAndTheBreakersAreApart(t *testing.T) {
	var sick atomic.Bool
	sick.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if sick.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"error":{"code":410}}`))
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	for range 10 {
		if err := client.Ready(t.Context()); err == nil {
			t.Fatal("a sick Kratos is ready")
		}
	}
	sick.Store(false)
	if _, err := client.Failure(t.Context(), kratos.Visitor{}, "e1"); err != nil {
		t.Errorf("after checks that failed: %v", err)
	}
	sick.Store(true)
	for range 10 {
		_, _ = client.Failure(t.Context(), kratos.Visitor{}, "e1")
	}
	sick.Store(false)
	if _, err := client.Failure(t.Context(), kratos.Visitor{}, "e1"); err == nil {
		t.Error("the breaker is not open")
	}
	if err := client.Ready(t.Context()); err != nil {
		t.Errorf("while a breaker is open: %v", err)
	}
}

// begun has begun a sign-in.
var begun = kratos.Visitor{Cookies: []*http.Cookie{{Name: "__Host-ory_kratos_continuity", Value: "k1"}}}

func TestRequestsAreCountedByOutcome(t *testing.T) {
	var status atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://fledge.example/profile")
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(server.Close)
	client, metrics := counted(t, server.URL)
	navigate := func(ctx context.Context, code int) (failure error) {
		status.Store(int32(code))
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, kratos.Prefix+"/self-service/methods/oidc/callback/google?code=secret&state=s", nil)
		client.Navigate(httptest.NewRecorder(), r, begun, "google", nil, func(string) {}, func(err error) { failure = err })
		return failure
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := navigate(left, http.StatusSeeOther); !errors.Is(err, context.Canceled) {
		t.Errorf("a browser that left: %v", err)
	}
	if err := navigate(t.Context(), http.StatusSeeOther); err != nil {
		t.Error(err)
	}
	for _, code := range []int{http.StatusOK, http.StatusInternalServerError, 503, 503, 503, 503, 503, http.StatusSeeOther} {
		if err := navigate(t.Context(), code); !errors.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%d: %v", code, err)
		}
	}
	var got []string
	families, err := metrics.Gather()
	if err != nil || families[0].GetName() != "gateway_kratos_requests_total" || len(families[0].GetMetric()) != 25 {
		t.Fatal(families, err)
	}
	for _, m := range families[0].GetMetric() {
		if n := m.GetCounter().GetValue(); n > 0 {
			got = append(got, fmt.Sprintf("%s %s %v", m.GetLabel()[0].GetValue(), m.GetLabel()[1].GetValue(), n))
		}
	}
	if want := []string{"callback canceled 1", "callback failed 6", "callback ok 1", "callback skipped 1", "callback unexpected 1"}; !slices.Equal(got, want) {
		t.Errorf("counted %q, want %q", got, want)
	}
}

func TestABrowserThatLeavesDoesNotSpeakAgainstKratos(t *testing.T) {
	var calls atomic.Int32
	arrived := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= 10 {
			arrived <- struct{}{}
			<-r.Context().Done()
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	ask := func(ctx context.Context) error {
		_, err := client.Failure(ctx, kratos.Visitor{}, "e1")
		return err
	}
	for range 10 {
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- ask(ctx) }()
		select {
		case <-arrived:
		case err := <-done:
			t.Fatalf("Kratos was not asked: %v", err)
		}
		leave()
		if err := <-done; err == nil {
			t.Error("there was an answer")
		}
	}
	if err := ask(t.Context()); err != nil {
		t.Errorf("after ten that left: %v", err)
	}
}

func TestAnswersThatAreNoneAreAnOutage(t *testing.T) {
	for name, body := range map[string]string{"a page": "<html>", "nothing": "", "no id": "{}", "another shape": `{"id":7}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		if _, err := newClient(t, server.URL).SignIn(t.Context(), kratos.Visitor{}, "google", "/profile", false); !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

func newClient(t *testing.T, base string) *kratos.Client {
	t.Helper()
	client, _ := counted(t, base)
	return client
}

func counted(t *testing.T, base string) (*kratos.Client, *prometheus.Registry) {
	t.Helper()
	return countedBy(t, base, clock.System())
}

func countedBy(t *testing.T, base string, clk clock.Clock) (*kratos.Client, *prometheus.Registry) {
	t.Helper()
	u, err := url.Parse(base)
	errtest.None(t, err)
	metrics := prometheus.NewRegistry()
	client, err := kratos.NewClient(u, &url.URL{Scheme: "https", Host: "fledge.example"}, slog.New(slog.DiscardHandler), metrics, clk)
	errtest.None(t, err)
	return client, metrics
}

func TestKratosIsNotAskedThroughAProxy(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		if err := newClient(t, "http://kratos.invalid:4433").Ready(t.Context()); err == nil {
			t.Error("no error")
		}
	})
	if len(asked) > 0 {
		t.Errorf("a proxy was asked for %v", asked)
	}
}
