package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// Fault is how the API misbehaves. The zero value is a healthy API.
type Fault struct {
	// Route limits the fault to routes that begin so: "POST /v1/checkout". The
	// method and a space may be left out.
	Route string `json:"route"`
	// Times limits it to that many requests; 0 lasts until it is changed.
	Times int `json:"times"`
	// DelayMillis pass before anything happens, or until the client gives up.
	DelayMillis int `json:"delayMillis"`
	// Status is answered instead of doing the work: 500, 503, 429, …
	Status int `json:"status"`
	// Remembered makes Status the answer of its idempotency key, as it is when
	// Stripe fails after it has begun.
	Remembered bool `json:"remembered"`
	// Hangup closes the connection without an answer, and without the work.
	Hangup bool `json:"hangup"`
	// Lost does the work and then closes the connection.
	Lost bool `json:"lost"`
	// Blank are fields of the answer that become null, such as "url".
	Blank []string `json:"blank"`
}

// Faults holds the fault that is in force. Safe for concurrent use.
type Faults struct {
	mu      sync.Mutex
	fault   Fault
	left    int
	changed chan struct{}
}

// Set makes the API misbehave from the next request on. Requests that are being
// delayed are let go.
func (f *Faults) Set(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed != nil {
		close(f.changed)
	}
	f.fault, f.left, f.changed = fault, fault.Times, make(chan struct{})
}

// next takes the fault for a request.
func (f *Faults) next(r *http.Request) metFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !strings.HasPrefix(r.Method+" "+r.URL.Path, f.fault.Route) && !strings.HasPrefix(r.URL.Path, f.fault.Route) {
		return metFault{}
	}
	if f.fault.Times > 0 {
		if f.left == 0 {
			return metFault{}
		}
		f.left--
	}
	return metFault{Fault: f.fault, changed: f.changed}
}

// metFault is a fault that a request has met.
type metFault struct {
	Fault
	changed <-chan struct{}
}

func (f metFault) before(ctx context.Context, header http.Header) error {
	if f.DelayMillis > 0 {
		timer := time.NewTimer(time.Duration(f.DelayMillis) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-f.changed:
		case <-ctx.Done():
			panic(http.ErrAbortHandler)
		}
	}
	if f.Hangup {
		panic(http.ErrAbortHandler)
	}
	switch {
	case f.Status == http.StatusTooManyRequests:
		return &account.Error{Status: f.Status, Type: "invalid_request_error", Code: "rate_limit", Text: "Request rate limit exceeded."}
	case f.Status >= http.StatusInternalServerError && f.Remembered:
		header.Set("Stripe-Should-Retry", "false")
	}
	if f.Status != 0 {
		return &account.Error{Status: f.Status, Type: "api_error", Text: "Something went wrong on Stripe's end (a fault of the local stand-in)."}
	}
	return nil
}

func (f metFault) after() {
	if f.Lost {
		panic(http.ErrAbortHandler)
	}
}
