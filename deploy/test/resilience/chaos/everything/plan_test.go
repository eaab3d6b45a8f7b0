package everything_test

import (
	"reflect"
	"testing"
	"time"

	"fledge.dev/deploy/test/resilience/chaos/everything"
)

func TestASeedPlansTheSameFaultsAgain(t *testing.T) {
	plan := func(seed uint64) []everything.Fault { return everything.NewPlan(seed, 40, time.Second) }
	if !reflect.DeepEqual(plan(7), plan(7)) {
		t.Error("the same seed plans other faults")
	}
	if reflect.DeepEqual(plan(7), plan(8)) {
		t.Error("another seed plans the same faults")
	}
}

func TestAPlanIsInOrderAndHasEveryKind(t *testing.T) {
	for seed := range uint64(100) {
		acts, last := map[everything.Act]int{}, 0.0
		for _, f := range everything.NewPlan(seed, everything.Kinds, time.Second) {
			if f.At < last || f.At > 1 || f.Down < 0 || f.Down > time.Second || (len(f.Parts) == 0) == (f.From == "") {
				t.Fatalf("seed %d: %+v after %v", seed, f, last)
			}
			last = f.At
			acts[f.Act]++
		}
		want := map[everything.Act]int{everything.Kill: 7, everything.Pause: 3, everything.Wipe: 1, everything.Cut: 2, everything.Refuse: 1, everything.Blackhole: 2}
		if !reflect.DeepEqual(acts, want) {
			t.Fatalf("seed %d: %v", seed, acts)
		}
	}
}
