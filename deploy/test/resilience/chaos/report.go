package chaos

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"fledge.dev/deploy/test/harness/load"
)

// Report is what a run has shown.
type Report struct {
	Scenario Scenario
	Seed     uint64
	Took     time.Duration
	Samples  []load.Sample
	// Counts are what was counted, Worst the longest times that were taken.
	Counts  map[string]int
	Worst   map[string]time.Duration
	Results []Result
}

// OK reports whether every promise was kept.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Results, func(c Result) bool { return len(c.Problems) > 0 })
}

const shownAtMost = 5 // problems of a check

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %s, seed %d: %s\n\n", r.Scenario.Name, r.Seed, r.Scenario.About)
	if len(r.Samples) > 0 {
		fmt.Fprintf(&b, "  %-8s %8s %8s %9s %9s %9s %8s %9s %9s %9s %7s %7s %8s\n",
			"", "sent/s", "done/s", "median", "p99", "slowest", "refused", "median", "p99", "slowest", "silent", "wrong", "not sent")
	}
	for _, s := range r.Samples {
		fmt.Fprintf(&b, "  %-8s %8.0f %8.0f %9s %9s %9s %8d %9s %9s %9s %7d %7d %8d\n", s.Name, float64(s.Sent())/s.Took.Seconds(), s.Goodput(),
			load.Short(s.Good.P50), load.Short(s.Good.P99), load.Short(s.Good.Max), s.Refused.Answers, load.Short(s.Refused.P50),
			load.Short(s.Refused.P99), load.Short(s.Refused.Max), s.Silent, s.Wrong, s.Skipped)
	}
	b.WriteString("\n")
	for _, what := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(&b, "  %7d × %s\n", r.Counts[what], what)
	}
	for _, what := range slices.Sorted(maps.Keys(r.Worst)) {
		fmt.Fprintf(&b, "  %7.1f s %s, at most\n", r.Worst[what].Seconds(), what)
	}
	b.WriteString("\n")
	for _, c := range r.Results {
		mark := "✓"
		if len(c.Problems) > 0 {
			mark = "✗"
		}
		fmt.Fprintf(&b, "  %s %-64s %s\n", mark, c.Name, c.Figure)
		for _, problem := range c.Problems[:min(shownAtMost, len(c.Problems))] {
			fmt.Fprintf(&b, "      %s\n", problem)
		}
		if more := len(c.Problems) - shownAtMost; more > 0 {
			fmt.Fprintf(&b, "      and %d more\n", more)
		}
	}
	verdict := "Every promise was kept."
	if !r.OK() {
		verdict = fmt.Sprintf("A promise was broken. Seed %d plans the same again.", r.Seed)
	}
	fmt.Fprintf(&b, "\n  %s All of it took %s.\n\n", verdict, r.Took.Round(time.Second))
	_, _ = io.WriteString(w, b.String())
}
