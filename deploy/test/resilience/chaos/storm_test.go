package chaos_test

import (
	"testing"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/resilience/chaos"
)

// TestASmallStorm is `make chaos` with fewer people, in seconds.
func TestASmallStorm(t *testing.T) {
	report, err := chaos.Run(t.Context(), chaos.Options{
		Seed: 1, People: len(chaos.Acts()), Kills: 3, Product: stacktest.Options(t, stack.Processes), Log: t.Output(),
	})
	if report != nil {
		report.Print(t.Output())
	}
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Error("a promise was broken")
	}
	if report.Cuts != 2 || report.Kills < 3+2*report.Cuts {
		t.Errorf("billing was killed %d times, %d times between Stripe and us", report.Kills, report.Cuts)
	}
}
