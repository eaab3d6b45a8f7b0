package outage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// world is a product, people who use it, and what it has promised them.
type world struct {
	stack   *stack.Stack
	people  map[string]*person.Person
	release struct {
		ID      int64  `json:"id"`
		Version string `json:"version"`
	}
	// file is the path of a download.
	file    string
	ledgers map[string]*load.Keys
	// background outlives the test of a cell.
	background context.Context
}

// kept is where the promises of a ledger must be found.
var kept = map[string]struct{ service, query string }{
	"waitlist": {"waitlist", "SELECT email FROM waitlist_users"},
	"support":  {"support", "SELECT subject FROM tickets"},
	"events":   {"billing", "SELECT id FROM stripe_events"},
	"spends":   {"billing", "SELECT key FROM credit_keys"},
}

func newWorld(t *testing.T) *world {
	t.Helper()
	opts := stacktest.Options(t, stack.Processes)
	opts.Linked = true
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits(), "support": {"TICKETS_PER_HOUR=1000"}}
	w := &world{stack: stacktest.Start(t, opts), people: map[string]*person.Person{}, ledgers: map[string]*load.Keys{}, background: t.Context()}
	for name := range kept {
		w.ledgers[name] = load.NewKeys()
	}
	site := w.stack.URLs().Site
	for who, email := range map[string]string{"visitor": "", "member": stack.TesterEmail, "admin": stack.AdminEmail, "buyer": "buyer@fledge.test"} {
		w.people[who] = person.New(site)
		if email != "" {
			waittest.Eventually(t, who+" signs in", func() bool { return w.people[who].SignIn(t.Context(), email) == nil })
		}
	}
	waittest.Eventually(t, "the buyer buys", func() bool {
		return stacktest.Buy(t.Context(), w.people["buyer"], site, w.stack.URLs().Stripe) == nil
	})
	var list struct {
		Releases []struct {
			ID      int64  `json:"id"`
			Version string `json:"version"`
		} `json:"releases"`
	}
	waittest.Eventually(t, "there is a release", func() bool {
		return w.people["admin"].Call(t.Context(), http.MethodGet, "/api/get-github-releases", nil, &list) == nil && len(list.Releases) > 0
	})
	w.release = list.Releases[0]
	var offered json.RawMessage
	waittest.Eventually(t, "there is a download", func() bool {
		err := w.people["visitor"].Call(t.Context(), http.MethodGet, "/api/get-latest-downloads", nil, &offered)
		w.file = regexp.MustCompile(`/api/download/[^"]+`).FindString(string(offered))
		return err == nil && w.file != ""
	})
	for name, do := range acts {
		waittest.Seen(t, name+" works", func() (bool, string) {
			err := do(t.Context(), w)
			return err == nil, fmt.Sprint(err)
		})
	}
	return w
}

// promised notes a yes.
func (w *world) promised(ledger, key string, err error) error {
	if err == nil {
		w.ledgers[ledger].Add(key)
	}
	return err
}

// keeps fails the test where something that was promised is not there.
func (w *world) keeps(t *testing.T) {
	t.Helper()
	for name, ledger := range w.ledgers {
		conn, err := pgx.Connect(t.Context(), w.stack.DatabaseURL(kept[name].service))
		errtest.None(t, err)
		rows, err := conn.Query(t.Context(), kept[name].query)
		errtest.None(t, err)
		present, err := pgx.CollectRows(rows, pgx.RowTo[string])
		errtest.None(t, errors.Join(err, conn.Close(t.Context())))
		if d := ledger.Compare(present); len(d.Lost)+len(d.Repeated) > 0 {
			t.Errorf("%s: promised and not there: %v, there twice: %v", name, d.Lost, d.Repeated)
		}
	}
}

// asOwner executes statements as the database's owner, who may always write here.
func (w *world) asOwner(service, sql string) error {
	cfg, err := pgx.ParseConfig(w.stack.DatabaseURL(service))
	if err != nil {
		return err
	}
	cfg.RuntimeParams["default_transaction_read_only"] = "off"
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(w.background, cfg)
	if err != nil {
		return err
	}
	_, err = conn.Exec(w.background, sql)
	return errors.Join(err, conn.Close(w.background))
}

// try does an act once and fails the test unless it is answered as the product answers:
// with yes, or with a 503 that says why, and not later than bound.
func (w *world) try(t *testing.T, name string, bound time.Duration) (code string, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Timeout)
	defer cancel()
	began := time.Now()
	err := acts[name](ctx, w)
	took = time.Since(began)
	if took > bound {
		t.Errorf("%s: answered after %s: %v", name, took, err)
	}
	if err == nil {
		return "", took
	}
	var problem *person.APIError
	if !errors.As(err, &problem) || problem.Status != http.StatusServiceUnavailable || problem.Code == "" || problem.Message == "" {
		t.Errorf("%s: %v", name, err)
		return refused, took
	}
	return problem.Code, took
}

// refused stands for an answer that no outage explains.
const refused = "refused"

// together tries acts at the same time until each is as wanted, and tells how long the
// slowest answer and the last of them took.
func (w *world) together(t *testing.T, wanted map[string]string, bound time.Duration) (slowest string, all time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var longest time.Duration
	var trying sync.WaitGroup
	began := time.Now()
	for name, want := range wanted {
		trying.Go(func() {
			w.until(t, name, want, func() string {
				code, took := w.try(t, name, bound)
				mu.Lock()
				defer mu.Unlock()
				if took > longest {
					longest, slowest = took, fmt.Sprintf("%s %s", name, took.Round(time.Millisecond))
				}
				return code
			})
		})
	}
	trying.Wait()
	return slowest, time.Since(began)
}

// until looks again and again, in a goroutine of its own, where a test may not end.
func (w *world) until(t *testing.T, name, want string, look func() string) {
	var seen []string
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(waittest.Timeout); ; <-ticker.C {
		code := look()
		if code == want || want == either || want == unavailable && code != "" && code != refused {
			if len(seen) > 0 {
				t.Logf("%s: first %q", name, seen[0])
			}
			return
		}
		if seen = append(seen, code); time.Now().After(deadline) || code == refused {
			t.Errorf("%s: answered %q, want %q", name, code, want)
			return
		}
	}
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
