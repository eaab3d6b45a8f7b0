package stall

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/services"
)

// Report is what a run has shown.
type Report struct {
	// Rate is in requests a second; Lasts how long PostgreSQL was frozen.
	Rate  int
	Lasts time.Duration
	// Before is the load without a fault, During that with it, Returning the first seconds
	// with PostgreSQL again, After what follows.
	Before, During, Returning, After load.Sample
	Programs                         []Program
	// Joined are the sign-ups that were acknowledged, Lost those that are not there.
	Joined int
	Lost   []string
}

// State is how much a program holds.
type State struct {
	Goroutines int
	// InUse are connections of its pool, which has Max at most.
	InUse, Max int
	// Sessions are what PostgreSQL has for it, Busy those in a statement or a transaction.
	Sessions, Busy int
}

// Program is the gateway or a service: when nobody worked, at its most, and afterwards.
type Program struct {
	Name                string
	Before, Most, After State
}

const (
	// told is how soon every request has an answer while PostgreSQL is frozen.
	told = time.Second
	// spare are the goroutines beyond one for each request in progress.
	spare = 100
	// outsidePool are a service's sessions outside its pool: the relay that publishes its
	// events, and the listener for jobs.
	outsidePool = 2
)

// inFlight are the caps of the gateway (MAX_IN_FLIGHT) and of a service
// (GRPC_MAX_IN_FLIGHT) where nothing else is set.
func inFlight(program string) int {
	if slices.Contains(services.Names(), program) {
		return 256
	}
	return 512
}

func programs(before, most map[string]State) (list []Program) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		list = append(list, Program{Name: name, Before: before[name], Most: most[name]})
	}
	return list
}

// OK reports whether nobody got a wrong answer, nothing was lost and nothing stayed behind.
func (r *Report) OK() bool { return len(r.problems()) == 0 }

// Prompt reports whether everybody was told in time and all was soon well again, as on a
// quiet machine.
func (r *Report) Prompt() bool { return r.slowest() <= told && r.After.Refused.Answers == 0 }

func (r *Report) slowest() time.Duration { return max(r.During.Good.Max, r.During.Refused.Max) }

func (r *Report) problems() (list []string) {
	for _, s := range []load.Sample{r.Before, r.During, r.Returning, r.After} {
		if s.Wrong > 0 {
			list = append(list, fmt.Sprintf("%s: %d requests were neither done nor refused: %s", s.Name, s.Wrong, strings.Join(s.Examples, "; ")))
		}
	}
	if r.During.Refused.Answers == 0 {
		list = append(list, "nothing was refused: PostgreSQL was not away")
	}
	if len(r.Lost) > 0 {
		list = append(list, fmt.Sprintf("%d of %d acknowledged sign-ups are lost: %s", len(r.Lost), r.Joined, r.Lost[0]))
	}
	for _, p := range r.Programs {
		if limit := inFlight(p.Name) + spare; p.Most.Goroutines > limit {
			list = append(list, fmt.Sprintf("%s: %d goroutines, more than %d", p.Name, p.Most.Goroutines, limit))
		}
		for _, problem := range kept(p.After, p.Before) {
			list = append(list, p.Name+": "+problem)
		}
	}
	return list
}

// kept is what a program or PostgreSQL holds though nobody works.
func kept(now, before State) (list []string) {
	if n := now.InUse - before.InUse; n > 0 {
		list = append(list, fmt.Sprintf("%d connections are not given back", n))
	}
	if limit := now.Max + outsidePool; now.Sessions > limit {
		list = append(list, fmt.Sprintf("PostgreSQL has %d sessions, more than %d", now.Sessions, limit))
	}
	if n := now.Busy - before.Busy; n > 0 {
		list = append(list, fmt.Sprintf("%d sessions are still busy", n))
	}
	return list
}

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  PostgreSQL is frozen for %s, at %d requests a second\n\n", r.Lasts, r.Rate)
	fmt.Fprintf(&b, "  %-8s %7s %9s %9s %7s %9s %9s %6s\n", "", "done", "median", "slowest", "refused", "median", "slowest", "wrong")
	for _, s := range []load.Sample{r.Before, r.During, r.Returning, r.After} {
		fmt.Fprintf(&b, "  %-8s %7d %9s %9s %7d %9s %9s %6d\n", s.Name, s.Good.Answers, round(s.Good.P50), round(s.Good.Max),
			s.Refused.Answers, round(s.Refused.P50), round(s.Refused.Max), s.Wrong)
	}
	fmt.Fprintf(&b, "\n  %-10s %22s %22s %22s\n", "", "goroutines", "connections in use", "sessions, busy ones")
	for _, p := range r.Programs {
		fmt.Fprintf(&b, "  %-10s %22s %22s %22s\n", p.Name, fmt.Sprintf("%d to %d, then %d", p.Before.Goroutines, p.Most.Goroutines, p.After.Goroutines),
			fmt.Sprintf("%d to %d, then %d", p.Before.InUse, p.Most.InUse, p.After.InUse), fmt.Sprintf("%d, %d, then %d, %d", p.Before.Sessions, p.Before.Busy, p.After.Sessions, p.After.Busy))
	}
	fmt.Fprintf(&b, "\n  %d sign-ups were acknowledged, %d of them are lost\n", r.Joined, len(r.Lost))
	for _, problem := range r.problems() {
		fmt.Fprintf(&b, "  ✗ %s\n", problem)
	}
	goal := func(held bool, format string, args ...any) {
		mark := "✓"
		if !held {
			mark = "✗"
		}
		fmt.Fprintf(&b, "  %s %s\n", mark, fmt.Sprintf(format, args...))
	}
	goal(r.slowest() <= told, "the slowest answer meanwhile took %s of %s", round(r.slowest()), told)
	goal(r.After.Refused.Answers == 0, "%d requests were refused more than %s after PostgreSQL was back", r.After.Refused.Answers, recovery)
	b.WriteString("\n")
	_, _ = io.WriteString(w, b.String())
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
