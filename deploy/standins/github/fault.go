package github

import (
	"net/http"
	"sync"
	"time"
)

// Fault is an injected fault of the REST API. The zero value is a healthy API.
// Downloads are not touched: GitHub serves them from other machines.
type Fault struct {
	// Delay passes before the answer, or until the client gives up.
	Delay time.Duration
	// Status, when set, is answered instead of the real thing.
	Status int
	// Body goes with Status; GitHub sends HTML when its edge is in trouble.
	Body string
	// Hangup closes the connection without a response.
	Hangup bool
}

// SetFault injects a fault from the next request on. Requests that are still being
// delayed are released.
func (s *Server) SetFault(f Fault) { s.trouble.set(f) }

type trouble struct {
	mu      sync.Mutex
	fault   Fault
	changed chan struct{}
}

func (t *trouble) set(f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed != nil {
		close(t.changed)
	}
	t.fault, t.changed = f, make(chan struct{})
}

func (t *trouble) current() (Fault, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault, t.changed
}

func (t *trouble) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, changed := t.current()
		if f.Delay > 0 {
			timer := time.NewTimer(f.Delay)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-changed:
			case <-r.Context().Done():
				return
			}
		}
		switch {
		case f.Hangup:
			panic(http.ErrAbortHandler)
		case f.Status != 0:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(f.Status)
			_, _ = w.Write([]byte(f.Body)) // the client went away
		default:
			next.ServeHTTP(w, r)
		}
	})
}
