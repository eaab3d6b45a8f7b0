package bench

import (
	"context"
	"slices"
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
	if n, err := readFigure([]byte("# TYPE a gauge\na{b=\"c\"} 1\naa 2\na 0.25\n"), "a"); err != nil || n != 0.25 {
		t.Errorf("figures: %v, %v", n, err)
	}
	parents, times := map[int]int{}, map[int]time.Duration{}
	readStat([]byte("42 (a) (b) S 7 1 1 0 -1 0 1 2 3 4 100 50 7 3 20 0 1\n"), parents, times)
	if parents[42] != 7 || times[42] != 1600*time.Millisecond {
		t.Errorf("proc: %v, %v", parents, times)
	}
}
