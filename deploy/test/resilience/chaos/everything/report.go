package everything

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fledge.dev/deploy/test/resilience/chaos"
)

// Report is what a run has shown.
type Report struct {
	Seed         uint64
	Faults, Rate int
	Figures      Figures
	// Sent are the things that people did; Answered, Refused (429, 503, 504) and Silent
	// are what came of their tries.
	Sent, Answered, Refused, Silent int
	Median, P99                     time.Duration
	// Applied is when all events were, after the last fault was repaired.
	Applied, Took time.Duration
	Checks        []chaos.Check
}

// OK reports whether nothing was lost, done twice or invented.
func (r *Report) OK() bool { return chaos.Sound(r.Checks) }

// Goal is a time that a quiet machine must keep.
type Goal struct {
	Name     string
	Got, Max time.Duration
}

// Goals are those of the figures.
func (r *Report) Goals() []Goal {
	return []Goal{
		{"a service serves after its start", r.Figures.Serving, 3 * time.Second},
		{"events are published after one of three servers went", r.Figures.Gap, 10 * time.Second},
		{"lost streams are whole again by themselves", r.Figures.Refilled, time.Minute},
		{"all events are applied after the last fault", r.Applied, 30 * time.Second},
	}
}

// Prompt reports whether the goals with times were kept.
func (r *Report) Prompt() bool {
	for _, g := range r.Goals() {
		if g.Got > g.Max {
			return false
		}
	}
	return true
}

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	f := r.Figures
	fmt.Fprintf(&b, "\n  Everything breaks, seed %d\n\n", r.Seed)
	fmt.Fprintf(&b, "  %d faults: %d processes killed, %d paused, all of NATS wiped %d times, %d links broken\n", r.Faults, f.Kills, f.Pauses, f.Wipes, f.Broken)
	fmt.Fprintf(&b, "  %d things done, %d a second: %d answered, %d refused, %d without an answer\n", r.Sent, r.Rate, r.Answered, r.Refused, r.Silent)
	fmt.Fprintf(&b, "  an answer took %s, p99 %s; %d writes were acknowledged with two of three NATS servers down\n\n",
		r.Median.Round(time.Millisecond), r.P99.Round(time.Millisecond), f.Unheard)
	for _, g := range r.Goals() {
		mark := "✓"
		if g.Got > g.Max {
			mark = "✗"
		}
		fmt.Fprintf(&b, "  %s %-56s %5.1f s of %.0f s\n", mark, g.Name, g.Got.Seconds(), g.Max.Seconds())
	}
	b.WriteString("\n")
	chaos.PrintChecks(&b, r.Checks)
	verdict := "Every promise held."
	if !r.OK() || !r.Prompt() {
		verdict = fmt.Sprintf("A promise was broken. Seed %d plans the same faults again.", r.Seed)
	}
	fmt.Fprintf(&b, "\n  %s All of it took %s.\n\n", verdict, r.Took.Round(time.Second))
	_, _ = io.WriteString(w, b.String())
}
