package chaos

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Report is what a storm has shown.
type Report struct {
	Seed                       uint64
	People, Events, Deliveries int
	Refused, Kills, Cuts       int
	Took, Median, P99          time.Duration
	Checks                     []Check
	// From is when the faults began; Acknowledged and Killed are moments after it.
	From                 time.Time
	Acknowledged, Killed []time.Time
}

func (s *storm) report(plan []Fault, checks []Check, from time.Time, took time.Duration) *Report {
	times, latencies, refused := s.courier.figures()
	r := &Report{
		Seed: s.opts.Seed, People: s.opts.People, Events: s.courier.acked.Len(), Deliveries: len(times), Refused: refused,
		Took: took, Checks: checks, From: from, Acknowledged: times, Killed: s.nemesis.kills, Kills: len(s.nemesis.kills),
	}
	for _, fault := range plan {
		if fault.After != "" {
			r.Cuts++
		}
	}
	r.Median, r.P99 = Quantiles(latencies)
	return r
}

// OK reports whether every promise holds.
func (r *Report) OK() bool { return Sound(r.Checks) }

const (
	columns = 64
	shownAt = 5 // problems of a check
)

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Billing in a storm, seed %d\n\n", r.Seed)
	fmt.Fprintf(&b, "  %d people, a subscription each, lived two months; all of it took %s\n", r.People, r.Took.Round(time.Second))
	fmt.Fprintf(&b, "  %d events in %d deliveries, shuffled, each up to %d times and %s late\n", r.Events, r.Deliveries, copies, delay)
	fmt.Fprintf(&b, "  %d times billing was killed, %d times between Stripe and us; %d deliveries found nobody and were repeated\n", r.Kills, r.Cuts, r.Refused)
	fmt.Fprintf(&b, "  an acknowledgement took %s, p99 %s\n\n", r.Median.Round(time.Millisecond), r.P99.Round(time.Millisecond))
	if len(r.Acknowledged) > 0 {
		end := slices.MaxFunc(slices.Concat(r.Acknowledged, r.Killed), time.Time.Compare)
		fmt.Fprintf(&b, "  deliveries  %s\n", picture(r.From, end, r.Acknowledged, " ▁▂▃▄▅▆▇█"))
		fmt.Fprintf(&b, "  kills       %s\n", picture(r.From, end, r.Killed, " ×"))
		fmt.Fprintf(&b, "              0 s%*d s\n\n", columns-5, int(end.Sub(r.From).Seconds()))
	}
	PrintChecks(&b, r.Checks)
	verdict := "Every promise held."
	if !r.OK() {
		verdict = fmt.Sprintf("A promise was broken. Seed %d plans the same storm again.", r.Seed)
	}
	fmt.Fprintf(&b, "\n  %s\n\n", verdict)
	_, _ = io.WriteString(w, b.String())
}

// PrintChecks writes a line for each check, and the first of its problems.
func PrintChecks(b *strings.Builder, checks []Check) {
	for _, c := range checks {
		mark := "✓"
		if len(c.Problems) > 0 {
			mark = "✗"
		}
		fmt.Fprintf(b, "  %s %-44s %s\n", mark, c.Name, c.Figure)
		for _, problem := range c.Problems[:min(shownAt, len(c.Problems))] {
			fmt.Fprintf(b, "      %s\n", problem)
		}
		if more := len(c.Problems) - shownAt; more > 0 {
			fmt.Fprintf(b, "      and %d more\n", more)
		}
	}
}

// Quantiles are the median and p99.
func Quantiles(durations []time.Duration) (median, p99 time.Duration) {
	sorted := slices.Sorted(slices.Values(durations))
	if n := len(sorted); n > 0 {
		return sorted[n/2], sorted[n*99/100]
	}
	return 0, 0
}

// picture draws how many moments there were over the time, from levels[0] for none
// to the last level for the most.
func picture(from, to time.Time, moments []time.Time, levels string) string {
	marks := []rune(levels)
	counts := make([]int, columns)
	span := max(to.Sub(from), 1)
	for _, at := range moments {
		place := int(int64(columns) * int64(at.Sub(from)) / int64(span))
		counts[min(max(place, 0), columns-1)]++
	}
	most := max(slices.Max(counts), 1)
	var b strings.Builder
	for _, n := range counts {
		level := (n*(len(marks)-1) + most - 1) / most
		b.WriteRune(marks[level])
	}
	return b.String()
}
