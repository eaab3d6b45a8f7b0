package overload

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fledge.dev/deploy/test/harness/load"
)

// Report is what a run has shown.
type Report struct {
	// Peak is what the product does for callers who wait, After the same after all.
	Peak, After load.Sample
	// Loads are those of once, twice and five times the peak.
	Loads []load.Sample
}

const (
	// kept is the part of the peak that has to be left under any load.
	kept = 0.8
	// refusal is the p99 that refusals may have under five times the peak.
	refusal = 500 * time.Millisecond
)

// OK reports whether the product went on under each load, refused the rest at once, and
// was as before afterwards.
func (r *Report) OK() bool { return len(r.problems()) == 0 }

func (r *Report) problems() (list []string) {
	for _, s := range append(r.Loads, r.After) {
		if s.Goodput < kept*r.Peak.Goodput {
			list = append(list, fmt.Sprintf("%s: %.0f %% of the peak is left, less than %.0f %%", s.Name, 100*s.Goodput/r.Peak.Goodput, 100*kept))
		}
		if s.Refused.P99 > refusal {
			list = append(list, fmt.Sprintf("%s: a refusal takes %s", s.Name, s.Refused.P99.Round(time.Millisecond)))
		}
		if s.Wrong > 0 {
			list = append(list, fmt.Sprintf("%s: %d requests were neither done nor refused: %s", s.Name, s.Wrong, strings.Join(s.Examples, "; ")))
		}
	}
	return list
}

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	b.WriteString("\n  More is asked of the gateway than it can do\n\n")
	fmt.Fprintf(&b, "  %-6s %9s %9s %6s %9s %9s %9s %9s %9s %6s\n", "load", "sent/s", "done/s", "peak", "median", "p99", "refused", "median", "p99", "wrong")
	for _, s := range append(append([]load.Sample{r.Peak}, r.Loads...), r.After) {
		fmt.Fprintf(&b, "  %-6s %9.0f %9.0f %4.0f %% %9s %9s %9d %9s %9s %6d\n", s.Name, s.Offered, s.Goodput, 100*s.Goodput/r.Peak.Goodput,
			round(s.Good.P50), round(s.Good.P99), s.Refused.Answers, round(s.Refused.P50), round(s.Refused.P99), s.Wrong)
	}
	b.WriteString("\n")
	for _, problem := range r.problems() {
		fmt.Fprintf(&b, "  ✗ %s\n", problem)
	}
	if r.OK() {
		b.WriteString("  It went on under each load, and refused the rest at once.\n")
	}
	b.WriteString("\n")
	_, _ = io.WriteString(w, b.String())
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
