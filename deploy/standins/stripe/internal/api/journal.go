package api

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// journalSize is how many calls are remembered.
const journalSize = 10_000

// Call is an API request that came in.
type Call struct {
	At time.Time `json:"at"`
	// Route is the endpoint: "POST /v1/customers/{id}". Empty for none.
	Route          string `json:"route"`
	Method         string `json:"method"`
	Path           string `json:"path"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	RequestID      string `json:"requestId"`
	// Status is 0 while the call runs, and for a connection that was closed.
	Status int `json:"status"`
}

// Journal is what was asked of the API. Safe for concurrent use.
type Journal struct {
	now   func() time.Time
	mu    sync.Mutex
	calls []*Call
}

func (j *Journal) begin(r *http.Request, route, id string) *Call {
	if route == "/" {
		route = ""
	}
	call := &Call{
		At: j.now(), Route: route, Method: r.Method, Path: r.URL.Path,
		IdempotencyKey: r.Header.Get("Idempotency-Key"), RequestID: id,
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.calls) == journalSize {
		j.calls = j.calls[1:]
	}
	j.calls = append(j.calls, call)
	return call
}

func (j *Journal) end(call *Call, status int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	call.Status = status
}

// All returns the calls, the oldest first.
func (j *Journal) All() []Call {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Call, len(j.calls))
	for i, call := range j.calls {
		out[i] = *call
	}
	return out
}

// Count is how many calls a route got: "POST /v1/customers", or with a prefix
// only, such as "POST" or "", how many it stands for.
func (j *Journal) Count(route string) int {
	n := 0
	for _, call := range j.All() {
		if strings.HasPrefix(call.Route, route) {
			n++
		}
	}
	return n
}

// Clear forgets all calls.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls = nil
}
