package chaos

import (
	"flag"
	"testing"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
)

var all = flag.Bool("all", false, "those that take minutes, too")

// long is for what is not part of `make test-product`.
func long(t *testing.T) {
	t.Helper()
	if !*all {
		t.Skip("takes minutes: go test -args -all, or make chaos")
	}
}

// play plays a scenario in a small form, in which every promise must be kept that is not
// about times.
func play(t *testing.T, s Scenario, o Options) *Report {
	t.Helper()
	o.Seed, o.Quick, o.Product, o.Log = 1, true, stacktest.Options(t, stack.Processes), t.Output()
	report, err := s.Play(t.Context(), o)
	if report != nil {
		report.Print(t.Output())
	}
	errtest.None(t, err)
	if !report.OK() {
		t.Error("a promise was broken")
	}
	return report
}

func TestASmallStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a whole product of processes, which takes a minute or two: `make test-long`, or `make chaos`")
	}
	r := play(t, storm(), Options{People: len(allActs), Faults: 3})
	if n := r.Counts[string(Kill)]; n < 3+len(cuts)*len(billings) {
		t.Errorf("billing was killed %d times", n)
	}
	for _, call := range cuts {
		if n := r.Counts[cutOff+call]; n != 1 {
			t.Errorf("%d times after %s", n, call)
		}
	}
}

// TestEverythingBreaksAndNothingIsLost has each kind of fault once.
func TestEverythingBreaksAndNothingIsLost(t *testing.T) {
	long(t)
	r := play(t, everything(), Options{Faults: kinds, Longest: time.Second, Rate: 20, For: 20 * time.Second})
	if r.Counts[string(Kill)] < 7 || r.Counts[string(Wipe)] != len(natsServers) || r.Counts[withoutNATS] == 0 {
		t.Errorf("%v", r.Counts)
	}
}

func TestAShortStallLeavesNothingBehind(t *testing.T) {
	long(t)
	play(t, stall(), Options{Rate: 40, For: 5 * time.Second})
}
