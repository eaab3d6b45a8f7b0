package chaos

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestASeedPlansTheSameAgain(t *testing.T) {
	for name, plan := range map[string]func(seed uint64) string{
		"storm":      func(seed uint64) string { return fmt.Sprintf("%+v", kills(seed, 20, 500)) },
		"histories":  func(seed uint64) string { return fmt.Sprint(newHistories(seed, 500)) },
		"everything": func(seed uint64) string { return fmt.Sprint(ofEachKind(seed, 40, time.Second)) },
	} {
		first := plan(7)
		if plan(7) != first {
			t.Errorf("%s: the same seed plans another", name)
		}
		if plan(8) == first {
			t.Errorf("%s: another seed plans the same", name)
		}
	}
}

// TestAPlanIsInOrderAndHasEveryKind, and ends with its phase.
func TestAPlanIsInOrderAndHasEveryKind(t *testing.T) {
	for seed := range uint64(100) {
		for name, tc := range map[string]struct {
			plan    []Fault
			longest time.Duration
			want    map[Act]int
		}{
			"storm":      {kills(seed, 20, 13), 2 * time.Second, map[Act]int{Kill: 22}},
			"everything": {ofEachKind(seed, kinds, time.Second), time.Second, map[Act]int{Kill: 7, Pause: 3, Wipe: 1, Cut: 2, Refuse: 1, Blackhole: 2}},
			"rolling":    {inTurn(24), 0, map[Act]int{Restart: 24}},
		} {
			acts, calls, last := map[Act]int{}, 0, 0.0
			for _, f := range tc.plan {
				if f.At < last || f.At > 1 || f.Down < 0 || f.Down > tc.longest || len(f.Parts) == 0 || f.After != "" && (f.Nth < 1 || f.Nth > 6) {
					t.Fatalf("%s, seed %d: %s after %v", name, seed, f, last)
				}
				last = f.At
				acts[f.Act]++
				if f.After != "" {
					calls++
				}
			}
			if !reflect.DeepEqual(acts, tc.want) || name == "storm" && calls != len(cuts) {
				t.Fatalf("%s, seed %d: %v, %d calls", name, seed, acts, calls)
			}
		}
	}
}

func TestEveryProcessIsRestartedInTurn(t *testing.T) {
	var names []string
	for _, f := range inTurn(24) {
		names = append(names, f.Parts[0])
	}
	if !slices.Equal(names, slices.Concat(twofold(), twofold())) {
		t.Errorf("%v", names)
	}
}

func TestEveryActComesUp(t *testing.T) {
	for seed := range uint64(20) {
		seen := map[act]bool{}
		for _, history := range newHistories(seed, len(allActs)) {
			seen[history[0]] = true
		}
		if len(seen) != len(allActs) {
			t.Errorf("seed %d: %d of %d acts", seed, len(seen), len(allActs))
		}
	}
}
