package signin

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
)

// TestHostileCallbacksLeaveFewRows: of 100,000 callbacks that belong to no sign-in, Kratos keeps
// no more rows than the limit of sign-ins lets through for one address.
func TestHostileCallbacksLeaveFewRows(t *testing.T) {
	hostile := 100_000
	if testing.Short() { // the rule shows with fewer; all of them take minutes, nightly (`make test-long`)
		hostile = 2_000
	}
	w := newWorld(t, func(w *world) { delete(w.gatewaySettings, "SIGN_IN_LIMIT_BURST") }) // as it ships
	w.browser(t).signIn("google", "ann@example.test")
	before := w.rowsOfKratos()

	const callback = "/api/auth/kratos/self-service/methods/oidc/callback/"
	forms := []func() (*http.Request, error){
		func() (*http.Request, error) { return w.get(callback + "google?code=x&state=y") },
		func() (*http.Request, error) { return w.get(callback + "apple?code=x") },
		func() (*http.Request, error) { return w.get(callback + "google?error=access_denied&state=y") },
		func() (*http.Request, error) {
			req, err := w.get(callback + "google?code=x&state=y")
			if err == nil {
				req.AddCookie(&http.Cookie{Name: "ory_kratos_continuity", Value: "made-up"})
			}
			return req, err
		},
		func() (*http.Request, error) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.origin+callback+"apple", strings.NewReader("code=x&state=y"))
			if err == nil {
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			return req, err
		},
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	next := make(chan int)
	var strangers sync.WaitGroup
	for range 16 {
		strangers.Go(func() {
			for n := range next {
				req, err := forms[n%len(forms)]()
				if err != nil {
					t.Error(err)
					continue
				}
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s %s is %d", req.Method, req.URL, resp.StatusCode)
				}
			}
		})
	}
	for n := range hostile {
		next <- n
	}
	close(next)
	strangers.Wait()

	more := 0
	after := w.rowsOfKratos()
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if grown := after[table] - before[table]; grown != 0 {
			t.Logf("%s has %d rows more", table, grown)
			more += grown
		}
	}
	const burst, slack = 90, 400 // the limit's burst, and what it lets through in the minutes that this takes
	if more > burst+slack {
		t.Errorf("%d callbacks have left %d rows", hostile, more)
	}
}

func (w *world) get(path string) (*http.Request, error) {
	return http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.origin+path, nil)
}

// rowsOfKratos counts the rows of each table.
func (w *world) rowsOfKratos() map[string]int {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.kratosConfig.DatabaseURL.Reveal())
	errtest.None(w.t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(w.t.Context())) }()
	found, _ := conn.Query(w.t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	errtest.None(w.t, err)
	rows := map[string]int{}
	for _, table := range tables {
		var n int
		errtest.None(w.t, conn.QueryRow(w.t.Context(), "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()).Scan(&n))
		rows[table] = n
	}
	return rows
}
