package rolling

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fledge.dev/deploy/test/harness/traffic"
)

// Report is what a run has shown.
type Report struct {
	Rate, Restarts int
	// Before is the traffic without restarts, During that with them.
	Before, During traffic.Report
}

// OK reports whether nobody noticed a restart and nothing was lost or done twice.
func (r *Report) OK() bool { return r.Restarts > 0 && r.Before.Sound() && r.During.Sound() }

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Everything is restarted in turn, at %d requests a second\n\n", r.Rate)
	fmt.Fprintf(&b, "  %d restarts, %d requests, %d failed\n", r.Restarts, r.During.Requests, r.During.Failed)
	fmt.Fprintf(&b, "  %d sign-ups and %d approvals were acknowledged: %d lost, %d without an email, %d with more than one\n",
		r.During.Joined, r.During.Approved, r.During.Lost, r.During.WithoutEmail, r.During.MoreThanOneFor)
	fmt.Fprintf(&b, "  an answer took %s, p99 %s; without restarts %s and %s\n\n",
		round(r.During.Median), round(r.During.P99), round(r.Before.Median), round(r.Before.P99))
	for _, example := range append(r.Before.Examples, r.During.Examples...) {
		fmt.Fprintf(&b, "  %s\n", example)
	}
	_, _ = io.WriteString(w, b.String())
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
