package stall_test

import (
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/resilience/chaos/stall"
)

// TestAShortStallLeavesNothingBehind is `make chaos ARGS=stall` with five seconds; how soon
// everybody is told is for a quiet machine.
func TestAShortStallLeavesNothingBehind(t *testing.T) {
	report, err := stall.Run(t.Context(), stall.Options{Rate: 40, Lasts: 5 * time.Second, Product: stacktest.Options(t, stack.Processes), Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	report.Print(t.Output())
	if !report.OK() || report.Joined == 0 {
		t.Error("something was lost, stayed behind or was answered wrongly")
	}
}

func TestAPromiseIsBrokenByAnyOfThese(t *testing.T) {
	refused := load.Sample{Refused: load.Times{Answers: 1}}
	for name, tc := range map[string]struct {
		change func(*stall.Report)
		want   string
	}{
		"kept":           {func(*stall.Report) {}, ""},
		"not away":       {func(r *stall.Report) { r.During = load.Sample{} }, "was not away"},
		"wrong answers":  {func(r *stall.Report) { r.Returning.Wrong = 1 }, "neither done nor refused"},
		"lost":           {func(r *stall.Report) { r.Lost = []string{"one"} }, "are lost"},
		"piled up":       {func(r *stall.Report) { r.Programs[0].Most.Goroutines = 357 }, "357 goroutines"},
		"not given back": {func(r *stall.Report) { r.Programs[0].After.InUse = 1 }, "not given back"},
		"left over":      {func(r *stall.Report) { r.Programs[0].After.Sessions = 13 }, "13 sessions"},
		"busy":           {func(r *stall.Report) { r.Programs[0].After.Busy = 1 }, "1 sessions are still busy"},
	} {
		r := &stall.Report{During: refused, Programs: []stall.Program{{Name: "waitlist", Most: stall.State{Goroutines: 356}, After: stall.State{Max: 10, Sessions: 12}}}}
		tc.change(r)
		var page strings.Builder
		r.Print(&page)
		if r.OK() != (tc.want == "") || !strings.Contains(page.String(), tc.want) || !r.Prompt() {
			t.Errorf("%s: %t, %s", name, r.OK(), &page)
		}
	}
	for name, r := range map[string]stall.Report{
		"a slow refusal": {During: load.Sample{Refused: load.Times{Max: time.Second + 1}}},
		"a slow answer":  {During: load.Sample{Good: load.Times{Max: time.Second + 1}}},
		"away for long":  {After: refused},
	} {
		if r.Prompt() {
			t.Errorf("%s counts as prompt", name)
		}
	}
}
