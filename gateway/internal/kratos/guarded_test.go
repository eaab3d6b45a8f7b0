package kratos

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"fledge.dev/services/platform/errtest"
)

func TestABrowserThatLeftIsNeitherSuccessNorFailure(t *testing.T) {
	breaker := circuitbreaker.NewBuilder[any]().WithFailureThreshold(1).Build()
	leave(t, guarded{transport: http.DefaultTransport, breaker: breaker, count: func(string) {}}, 3)
	if !breaker.IsClosed() || breaker.Metrics().Executions() != 0 {
		t.Errorf("the breaker is %s after %d outcomes", breaker.State(), breaker.Metrics().Executions())
	}
}

func TestABrowserThatLeavesTheProbeDoesNotCloseTheBreaker(t *testing.T) {
	breaker := circuitbreaker.NewBuilder[any]().WithFailureThreshold(1).WithDelay(time.Hour).Build()
	g := guarded{transport: http.DefaultTransport, breaker: breaker, count: func(string) {}}
	breaker.HalfOpen()
	leave(t, g, 1)
	if !breaker.IsOpen() {
		t.Fatalf("the breaker is %s", breaker.State())
	}

	// The next probe is admitted, and its answer closes the breaker.
	healthy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(healthy.Close)
	breaker.HalfOpen()
	resp, err := g.RoundTrip(request(t.Context(), t, healthy.URL))
	errtest.None(t, err)
	_ = resp.Body.Close()
	if !breaker.IsClosed() {
		t.Errorf("after an answer the breaker is %s", breaker.State())
	}
}

// leave sends requests whose browsers leave as soon as Kratos has them.
func leave(t *testing.T, g guarded, times int) {
	t.Helper()
	arrived := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	for range times {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		resp, err := g.RoundTrip(request(ctx, t, slow.URL))
		if err == nil {
			_ = resp.Body.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
}

func request(ctx context.Context, t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	errtest.None(t, err)
	return r
}
