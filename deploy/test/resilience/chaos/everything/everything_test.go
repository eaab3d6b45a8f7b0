package everything_test

import (
	"testing"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/resilience/chaos/everything"
)

// TestEverythingBreaksAndNothingIsLost is `make chaos ARGS=everything` with one fault of
// each kind. Times are for the long form, on a quiet machine.
func TestEverythingBreaksAndNothingIsLost(t *testing.T) {
	report, err := everything.Run(t.Context(), everything.Options{
		Seed: 1, Faults: everything.Kinds, Longest: time.Second, Rate: 20, Lasts: 20 * time.Second,
		Product: stacktest.Options(t, stack.Processes), Log: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	report.Print(t.Output())
	if !report.OK() {
		t.Error("something is lost, doubled or invented")
	}
	if f := report.Figures; f.Kills < everything.Kinds/2 || f.Wipes != 1 || f.Unheard == 0 {
		t.Errorf("%+v", f)
	}
}
