package kratos_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// TestADatabaseThatKratosCannotReadSignsNobodyOut: Kratos answers 401 then, too.
func TestADatabaseThatKratosCannotReadSignsNobodyOut(t *testing.T) {
	t.Parallel()
	const (
		live = `{"id":"4b7cb59e-2c9d-4b62-a9d5-5d0ce3a2b7a1","active":true,"identity":{"id":"0c2b6b0c-0c57-4f0c-9d0a-2a1f6d3f6a11","schema_id":"person","schema_url":"x","traits":{}}}`
		none = `{"error":{"code":401,"message":"No valid session"}}`
		// forged is none with the header of a refusal without the database.
		forged = none + " "
		// limited and foreign are what a sidecar answers.
		limited = `{"error":{"code":429,"message":"slow down"}}`
		foreign = `{"error":"unauthenticated"}`
	)
	for name, tc := range map[string]struct {
		whoami []string // its answers, the last one again and again
		ready  int
		want   error
		calls  int
	}{
		"no session":             {whoami: []string{none}, ready: http.StatusOK, want: kratos.ErrNoSession, calls: 5},
		"a forged cookie":        {whoami: []string{forged}, ready: http.StatusServiceUnavailable, want: kratos.ErrNoSession, calls: 1},
		"forged, it turns out":   {whoami: []string{none, forged}, ready: http.StatusOK, want: kratos.ErrNoSession, calls: 3},
		"the database is down":   {whoami: []string{none}, ready: http.StatusServiceUnavailable, want: fault.Unavailable, calls: 2},
		"something else answers": {whoami: []string{none}, ready: http.StatusNotFound, want: fault.Unavailable, calls: 2},
		"the database was down":  {whoami: []string{none, live}, ready: http.StatusOK, calls: 3},
		"an old connection":      {whoami: []string{none, none, live}, ready: http.StatusOK, calls: 5},
		"a sidecar's limit":      {whoami: []string{limited}, ready: http.StatusOK, want: fault.Unavailable, calls: 1},
		"a sidecar's rule":       {whoami: []string{foreign}, ready: http.StatusOK, want: fault.Unavailable, calls: 1},
		"a session":              {whoami: []string{live}, ready: http.StatusServiceUnavailable, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			answers, calls := slices.Clone(tc.whoami), 0
			listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				calls++
				w.Header().Set("Content-Type", "application/json")
				status, body := tc.ready, `{"status":"ok"}`
				if r.URL.Path == "/sessions/whoami" {
					status, body = http.StatusOK, answers[0]
					if body != live {
						status = http.StatusUnauthorized
					}
					if body == limited {
						status = http.StatusTooManyRequests
					}
					if body == live || body == forged {
						w.Header().Set("Ory-Session-Cache-For", "60")
					}
					answers = answers[min(1, len(answers)-1):]
				}
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}))
			t.Cleanup(listener.Close)
			client, err := kratos.New(kratos.Config{PublicURL: listener.URL, AdminURL: listener.URL, Timeout: 10 * time.Second}, prometheus.NewRegistry())
			errtest.None(t, err)
			t.Cleanup(client.Close)
			session, err := client.Session(t.Context(), brand.SessionCookie+"=x")
			if !errors.Is(err, tc.want) || (tc.want == nil) != (session.Email == "" && session.ID.String() == "4b7cb59e-2c9d-4b62-a9d5-5d0ce3a2b7a1") {
				t.Errorf("%+v, %v", session, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if calls != tc.calls {
				t.Errorf("%d calls, want %d", calls, tc.calls)
			}
		})
	}
}
