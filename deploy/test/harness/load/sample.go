package load

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/person"
)

// Sample is what came of a run.
type Sample struct {
	Name string
	// Wanted is in requests a second, 0 for as many as there are answers.
	Wanted float64
	Took   time.Duration
	// Good and Refused (429, 503) are what these answers took.
	Good, Refused Times
	// Silent are tries without an answer in time, Wrong those with another than these,
	// Skipped the requests that were not sent because too many waited.
	Silent, Wrong, Skipped int
	// Failed counts by name all that were not good; Examples are the first of them, and
	// of the wrong ones.
	Failed          map[string]int
	Examples, Amiss []string
	// Stood is the longest time in which not even the sender was given the machine.
	Stood time.Duration
}

// Times are those of answers: median, p99 and the slowest.
type Times struct {
	Answers       int
	P50, P99, Max time.Duration
}

// Sent counts the tries.
func (s Sample) Sent() int { return s.Good.Answers + s.Refused.Answers + s.Silent + s.Wrong }

// Bad counts what was neither done nor refused in time.
func (s Sample) Bad() int { return s.Silent + s.Wrong }

// Goodput are the good answers a second.
func (s Sample) Goodput() float64 { return float64(s.Good.Answers) / s.Took.Seconds() }

// Sound reports whether every request was sent and done.
func (s Sample) Sound() bool { return s.Refused.Answers+s.Bad()+s.Skipped == 0 }

func (s Sample) String() string {
	return fmt.Sprintf("%d requests, median %s, p99 %s, slowest %s; %d refused, %d without an answer, %d wrong, %d not sent",
		s.Sent(), Short(s.Good.P50), Short(s.Good.P99), Short(s.Good.Max), s.Refused.Answers, s.Silent, s.Wrong, s.Skipped)
}

// Short is a duration for people.
func Short(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

const maxExamples = 20

// results is what came of the requests so far.
type results struct {
	sync.Mutex
	good, refused []time.Duration
	silent, wrong int
	failed        map[string]int
	examples      []string
	amiss         []string
	skipped       int           // of the sender alone, as stood
	stood         time.Duration // the longest between two turns
}

func newResults() *results { return &results{failed: map[string]int{}} }

func (t *results) add(name string, err error, took time.Duration) {
	t.Lock()
	defer t.Unlock()
	if err == nil {
		t.good = append(t.good, took)
		return
	}
	t.failed[name]++
	keep := func(examples *[]string) {
		if len(*examples) < maxExamples {
			*examples = append(*examples, fmt.Sprintf("%s %s: %v", time.Now().UTC().Format(time.TimeOnly), name, err))
		}
	}
	keep(&t.examples)
	var answer *person.APIError
	switch {
	case !errors.As(err, &answer) || answer.Status == http.StatusGatewayTimeout:
		t.silent++
	case answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable:
		t.refused = append(t.refused, took)
	default:
		t.wrong++
		keep(&t.amiss)
	}
}

// Final tells whether another try would get the same answer.
func Final(err error) bool {
	var answer *person.APIError
	return err == nil || errors.As(err, &answer) && answer.Status < http.StatusInternalServerError && answer.Status != http.StatusTooManyRequests
}

func (t *results) sample(name string, rate float64, took time.Duration) Sample {
	t.Lock()
	defer t.Unlock()
	return Sample{
		Name: name, Wanted: rate, Took: took, Good: times(t.good), Refused: times(t.refused), Silent: t.silent, Wrong: t.wrong,
		Skipped: t.skipped, Failed: maps.Clone(t.failed), Examples: slices.Clone(t.examples), Amiss: slices.Clone(t.amiss), Stood: t.stood,
	}
}

func times(of []time.Duration) Times {
	if len(of) == 0 {
		return Times{}
	}
	sorted := slices.Sorted(slices.Values(of))
	return Times{Answers: len(of), P50: sorted[len(of)/2], P99: sorted[len(of)*99/100], Max: sorted[len(of)-1]}
}
