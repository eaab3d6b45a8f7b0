package chaos_test

import (
	"reflect"
	"slices"
	"testing"

	"fledge.dev/deploy/test/resilience/chaos"
)

func TestASeedPlansTheSameStormAgain(t *testing.T) {
	replicas := []string{"a", "b"}
	if !reflect.DeepEqual(chaos.NewPlan(7, 20, 500, replicas), chaos.NewPlan(7, 20, 500, replicas)) || !slices.Equal(chaos.NewLives(7, 500), chaos.NewLives(7, 500)) {
		t.Error("the same seed plans another storm")
	}
	if reflect.DeepEqual(chaos.NewPlan(7, 20, 500, replicas), chaos.NewPlan(8, 20, 500, replicas)) || slices.Equal(chaos.NewLives(7, 500), chaos.NewLives(8, 500)) {
		t.Error("another seed plans the same storm")
	}
}

func TestAPlanIsInOrderAndEndsWithTheStorm(t *testing.T) {
	for seed := range uint64(100) {
		plan := chaos.NewPlan(seed, 20, 13, []string{"a", "b"})
		kills, cuts, last := 0, 0, 0.0
		for _, fault := range plan {
			if fault.At < last || fault.At > 1 || len(fault.Programs) == 0 || fault.Down < 0 {
				t.Fatalf("seed %d: %+v after %v", seed, fault, last)
			}
			last = fault.At
			if fault.After != "" && fault.Nth >= 1 && fault.Nth <= 6 {
				cuts++
			} else {
				kills++
			}
		}
		if kills != 20 || cuts != 2 {
			t.Fatalf("seed %d: %d kills, %d cuts", seed, kills, cuts)
		}
	}
}

func TestEveryActComesUp(t *testing.T) {
	for seed := range uint64(20) {
		seen := map[chaos.Act]bool{}
		for _, life := range chaos.NewLives(seed, len(chaos.Acts())) {
			seen[life[0]] = true
		}
		if len(seen) != len(chaos.Acts()) {
			t.Errorf("seed %d: %d of %d acts", seed, len(seen), len(chaos.Acts()))
		}
	}
}
