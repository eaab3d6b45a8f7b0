package kratos

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/prometheus/client_golang/prometheus"
)

// The calls, as the metric names them.
const (
	callStart    = "start"
	callSubmit   = "submit"
	callCallback = "callback"
	callFlow     = "flow"
	callError    = "error"
)

// The outcomes of a call.
const (
	outcomeOK         = "ok"         // an answer below 500
	outcomeUnexpected = "unexpected" // an answer below 500 that the browser cannot continue with
	outcomeFailed     = "failed"     // no answer in time, or one of 500 or above
	outcomeSkipped    = "skipped"    // the breaker was open
	outcomeCanceled   = "canceled"   // the browser left first
)

// newRequests returns the counter with all its series, so that even the first failure is an
// increase.
func newRequests() *prometheus.CounterVec {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_kratos_requests_total", Help: "Requests to Kratos, by call and outcome (ok, unexpected, failed, skipped, canceled).",
	}, []string{"call", "outcome"})
	for _, call := range []string{callStart, callSubmit, callCallback, callFlow, callError} {
		for _, outcome := range []string{outcomeOK, outcomeUnexpected, outcomeFailed, outcomeSkipped, outcomeCanceled} {
			requests.WithLabelValues(call, outcome)
		}
	}
	return requests
}

type breaker = circuitbreaker.CircuitBreaker[any]

// newBreaker returns a breaker that opens after five failures within ten seconds. While it
// is open, requests fail at once; after three seconds one of them is tried.
func newBreaker() breaker {
	return circuitbreaker.NewBuilder[any]().
		WithFailureThresholdPeriod(5, 10*time.Second).
		WithDelay(3 * time.Second).
		WithSuccessThreshold(1).
		Build()
}

// Asked is ErrUnavailable while the breaker keeps requests from Kratos: for what should not be spent on one that does
// not reach it.
func (c *Client) Asked() error {
	if c.breaker.IsOpen() && c.breaker.RemainingDelay() > 0 {
		return ErrUnavailable.Wrap(circuitbreaker.ErrOpen)
	}
	return nil
}

// guarded asks the breaker before each request, and tells it and the metric the outcome.
type guarded struct {
	transport http.RoundTripper
	breaker   breaker
	count     func(outcome string)
	// expect, if set, says what is wrong with an answer; the request then fails.
	expect func(*http.Response) error
}

func (c *Client) guard(call string, b breaker) guarded {
	return guarded{transport: c.transport, breaker: b, count: func(outcome string) { c.requests.WithLabelValues(call, outcome).Inc() }}
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.breaker.TryAcquirePermit() {
		g.count(outcomeSkipped)
		return nil, circuitbreaker.ErrOpen
	}
	probing := g.breaker.IsHalfOpen()
	resp, err := g.transport.RoundTrip(r)
	switch {
	case errors.Is(err, context.Canceled):
		g.count(outcomeCanceled)
		// A browser that left says nothing about Kratos. Its probe still has to end
		// somehow, or the breaker would wait for it and admit nobody ever again.
		if probing {
			g.breaker.RecordFailure()
		}
		return nil, err
	case err != nil:
		g.count(outcomeFailed)
		g.breaker.RecordFailure()
		return nil, err
	case isDown(resp.StatusCode):
		g.breaker.RecordFailure()
	default:
		g.breaker.RecordSuccess()
	}
	return g.checkResponse(resp)
}

// checkResponse counts a response, and returns an error for one that is not as expected.
func (g guarded) checkResponse(resp *http.Response) (*http.Response, error) {
	var wrong error
	if g.expect != nil {
		wrong = g.expect(resp)
	}
	switch {
	case resp.StatusCode >= http.StatusInternalServerError:
		g.count(outcomeFailed)
	case wrong != nil:
		g.count(outcomeUnexpected)
	default:
		g.count(outcomeOK)
	}
	if wrong != nil {
		_ = resp.Body.Close()
		return nil, wrong
	}
	return resp, nil
}

func isDown(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}
