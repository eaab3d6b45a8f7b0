package product

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/services/platform/errtest"
)

func TestRoundsAreInterleavedAndReversed(t *testing.T) {
	var order []string
	load := func(name string, rate float64) Load {
		return Load{Name: name, Run: func(context.Context, time.Duration) (Sample, error) {
			order = append(order, name)
			return Sample{PerSecond: rate * float64(1+len(order))}, nil
		}}
	}
	g := Group{Name: "g", Loads: []Load{load("a", 10), load("b", 5)}}
	r, err := Measure(t.Context(), g, Plan{Rounds: 3}, func(context.Context) map[string]float64 { return nil }, io.Discard)
	if err != nil || !slices.Equal(order, []string{"a", "b", "b", "a", "a", "b"}) {
		t.Fatalf("%v, %v", order, err)
	}
	// 5·3/10·2, 5·4/10·5 and 5·7/10·6
	if s := r.Ratio(1); s.Least != 0.4 || s.Most != 0.75 || s.Median != 35.0/60 {
		t.Errorf("got %+v", s)
	}
}

func TestATableTellsWhichGoalsAreMet(t *testing.T) {
	r := Result{
		Group: Group{Name: "Sign-up", Loads: []Load{{Name: "pgbench"}, {Name: "POST", Goal: Goal{Rate: 0.5, P50: 2, P99: 3}}}},
		Samples: [][]Sample{
			{{PerSecond: 100, P99: 10, P50: 1}},
			{{PerSecond: 55, P99: 30, P50: 3, Failed: 2, CPU: map[string]float64{"gateway": 100, "waitlist": 50, "billing": 1}}},
		},
	}
	const want = "| POST | 55 | 3.00 | 30.00 | **0.55** (0.55 to 0.55) | ratio ≥ 0.50: met; p50 ≤ 2×: missed (3.0×); p99 ≤ 3×: met (3.0×) | 2 | gateway 100, waitlist 50 |\n"
	if table := r.table(); !strings.Contains(table, "### Sign-up\n") || !strings.Contains(table, want) {
		t.Errorf("no %s in\n%s", want, table)
	}
}

func TestPgbenchIsRead(t *testing.T) {
	logs := t.TempDir()
	errtest.None(t, os.WriteFile(filepath.Join(logs, "log.1"), []byte("0 1 3000 0 1 1\n0 2 1000 0 1 1\n1 1 2000 0 1 1\n"), 0o600))
	s, err := readPgbench([]byte("number of failed transactions: 2 (0.1%)\nlatency average = 1 ms\ntps = 1234.5 (without initial connection time)\n"), logs)
	if want := (Sample{PerSecond: 1234.5, P50: 2, P99: 3, Failed: 2}); err != nil || s.PerSecond != want.PerSecond || s.P50 != want.P50 || s.P99 != want.P99 || s.Failed != want.Failed {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := readPgbench([]byte("number of failed transactions: 0 (NaN%)\n"), logs); err == nil {
		t.Error("a run without a transaction has a rate")
	}
}

// A refresh token is valid once, and each answer gives the next.
func TestEachConnectionTradesRefreshTokensOfItsOwn(t *testing.T) {
	if _, err := exec.LookPath("wrk"); err != nil {
		t.Skip("wrk is not installed")
	}
	var mu sync.Mutex
	trades := map[string]int{"a": 0, "b": 0, "c": 0}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var body struct {
			Token  string `json:"token"`
			Number string `json:"number"`
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		n, ok := trades[body.Token]
		if err != nil || !ok || body.Number == "" {
			http.Error(w, "no such token", http.StatusUnauthorized)
			return
		}
		delete(trades, body.Token)
		next := body.Token + "x"
		if len(next) > 20 {
			next = next[:1]
		}
		trades[next] = n + 1
		_, _ = io.WriteString(w, `{"refresh_token":"`+next+`"}`)
	}))
	defer server.Close()
	root, err := filepath.Abs("../../..")
	errtest.None(t, err)
	opts := Options{Product: stack.Options{Root: root}, Scratch: t.TempDir()}
	r := request{Method: http.MethodPost, URL: server.URL, Body: `{"token":"%t","number":"%n"}`, Tokens: []string{"a", "b", "c"}}
	s, err := opts.requests("", 3, r).Run(t.Context(), time.Second)
	if err != nil || s.Failed != 0 || s.PerSecond < 10 || s.P99 < s.P50 {
		t.Fatalf("%+v, %v", s, err)
	}
	mu.Lock()
	defer mu.Unlock()
	for token, n := range trades {
		if n == 0 {
			t.Errorf("%s was not traded", token)
		}
	}
}

func TestEachTargetWritesItsSectionOfTheResults(t *testing.T) {
	opts := Options{Product: stack.Options{Root: t.TempDir()}}
	file := opts.path("RESULTS.md")
	errtest.None(t, os.MkdirAll(filepath.Dir(file), 0o755))
	errtest.None(t, os.WriteFile(file, []byte("# Results\n\nhead\n\n## Pairs\n\nolder\n\n### Sign-up\n\n## Growth\n\nlarge\n"), 0o600))
	for section, text := range map[string]string{"Pairs": "newer\n\n### Sign-up\n\n", "Launch": "fast"} {
		errtest.None(t, opts.put(section, text))
	}
	content, err := os.ReadFile(file)
	if want := "# Results\n\nhead\n\n## Pairs\n\nnewer\n\n### Sign-up\n\n## Growth\n\nlarge\n\n## Launch\n\nfast\n"; err != nil || string(content) != want {
		t.Errorf("%v\n%s", err, content)
	}
}
