package product

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
	r, err := Measure(t.Context(), g, Plan{Rounds: 3}, func() map[string]time.Duration { return nil }, func(string, int, Sample) {})
	if err != nil || !slices.Equal(order, []string{"a", "b", "b", "a", "a", "b"}) {
		t.Fatalf("%v, %v", order, err)
	}
	// 5·3/10·2, 5·4/10·5 and 5·7/10·6
	if s := r.Ratio(1); s.Least != 0.4 || s.Most != 0.75 || s.Median != 35.0/60 {
		t.Errorf("got %+v", s)
	}
}

func TestFiguresAreRead(t *testing.T) {
	s, err := readPgbench("number of failed transactions: 2 (0.1%)\nlatency average = 1 ms\ntps = 1234.5 (without initial connection time)\n")
	if err != nil || s.PerSecond != 1234.5 || s.Failed != 2 {
		t.Errorf("pgbench: %+v, %v", s, err)
	}
	if _, err := readPgbench("number of failed transactions: 0 (NaN%)\n"); err == nil {
		t.Error("a run without a transaction has a rate")
	}
	s, err = readWrk([]byte("Running 3s test\n\nfigures {\"Requests\":110,\"Micros\":2000000,\"P50\":900,\"P99\":4000,\"Failed\":10}\n"))
	if err != nil || s.PerSecond != 50 || s.P99 != 4*time.Millisecond || s.Failed != 10 {
		t.Errorf("wrk: %+v, %v", s, err)
	}
	parents, times := map[int]int{}, map[int]time.Duration{}
	readStat([]byte("42 (a) (b) S 7 1 1 0 -1 0 1 2 3 4 100 50 7 3 20 0 1\n"), parents, times)
	if parents[42] != 7 || times[42] != 1600*time.Millisecond {
		t.Errorf("proc: %v, %v", parents, times)
	}
}

func TestAnOperationOfTwoRequestsCountsOnce(t *testing.T) {
	if _, err := exec.LookPath("wrk"); err != nil {
		t.Skip("wrk is not installed")
	}
	var asked [2]atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked[strings.Count(r.URL.RequestURI(), "/also")].Add(1)
	}))
	defer server.Close()
	w, err := newWrk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.load("", request{Method: http.MethodGet, URL: server.URL + "/page?limit=1", Also: "/also", Connections: 2}).Run(t.Context(), time.Second)
	page, also := asked[0].Load(), asked[1].Load()
	if err != nil || s.Failed != 0 || page == 0 || also < page-4 || also > page+4 {
		t.Fatalf("%d and %d requests: %+v, %v", page, also, s, err)
	}
	if most := float64(page+also) * 0.6; s.PerSecond > most {
		t.Errorf("%.0f operations a second of %d requests", s.PerSecond, page+also)
	}
}

func TestPagesOfPocketBaseAreCounted(t *testing.T) {
	items, total, err := readRecords([]byte(`{"items":[{"id":"a","email":"a@example.com"},{"id":"b"}],"page":1,"perPage":50,"totalItems":7,"totalPages":1}`))
	if err != nil || items != 2 || total != 7 {
		t.Errorf("%d of %d, %v", items, total, err)
	}
}

const k6Summary = `{"metrics":{
"iteration_duration{scenario:signUp}":{"type":"trend","contains":"time","values":{"med":2.5,"p(99)":31.5,"max":80}},
"iterations{scenario:signUp}":{"type":"counter","values":{"count":15000,"rate":499.9}},
"http_req_failed{scenario:signUp}":{"type":"rate","values":{"rate":0.0001,"passes":2,"fails":14998}},
"dropped_iterations{scenario:signUp}":{"type":"counter","values":{"count":3,"rate":0.1}},
"iteration_duration{scenario:read}":{"type":"trend","values":{"med":1,"p(99)":251,"max":300}},
"iterations{scenario:read}":{"type":"counter","values":{"count":15001,"rate":500}},
"http_req_failed{scenario:read}":{"type":"rate","values":{"rate":0,"passes":0,"fails":15001}}}}`

func TestALaunchIsRead(t *testing.T) {
	a, err := readSummary([]byte(k6Summary), "signUp")
	if want := (arrivals{P50: 2.5, P99: 31.5, Longest: 80, Done: 15000, Failed: 2, Dropped: 3}); err != nil || a != want {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := readSummary([]byte(k6Summary), "write"); err == nil {
		t.Error("a scenario that did not run has figures")
	}
	table, err := launchTable(machine{Commit: "abc1234"}, []byte(k6Summary))
	for _, want := range []string{launch + "\n", "commit abc1234", "| 15000 | 2.50 | 31.50 | 80.00 | met | 2 | 3 | missed |", "| 15001 | 1.00 | 251.00 | 300.00 | missed | 0 | 0 | met |"} {
		if err != nil || !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s%v", want, table, err)
		}
	}
}

func TestGoalsAreSaidToBeMetOrMissed(t *testing.T) {
	r := Result{
		Group: Group{Name: "Sign-up", Loads: []Load{{Name: "pgbench"}, {Name: "POST"}, {Name: "shipped"}}},
		Samples: [][]Sample{
			{{PerSecond: 100, P99: 10 * time.Millisecond, P50: time.Millisecond}},
			{{PerSecond: 95, P99: 30 * time.Millisecond, P50: 3 * time.Millisecond}},
			{{PerSecond: 80}},
		},
	}
	b := &bench{lag: 2 * time.Second}
	b.latency(r, 1, "p99", Result.P99, 3)
	b.latency(r, 1, "p50", Result.P50, 2)
	b.noteEvents(r)
	for i, want := range []string{
		"Sign-up: p99 is 3.0 times that of pgbench (goal: ≤ 3: met)",
		"Sign-up: p50 is 3.0 times that of pgbench (goal: ≤ 2: missed)",
		"Events: the outbox costs 5 % of the rate (goal: ≤ 10 %: met), publishing and counting another 16 % (goal: ≤ 5 %: missed)",
		"Events: under full load the oldest unpublished event was 2.00 s old, sampled twice a second (goal: < 1s: missed)",
	} {
		if b.notes[i] != want {
			t.Errorf("got  %s\nwant %s", b.notes[i], want)
		}
	}
}
