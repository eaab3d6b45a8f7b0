package traffic

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Report is what came of the traffic. Durations are those of answered requests.
type Report struct {
	Requests int            `json:"requests"`
	Failed   int            `json:"failed"`
	ByName   map[string]int `json:"failedByName"`
	Median   time.Duration  `json:"medianNanoseconds"`
	P99      time.Duration  `json:"p99Nanoseconds"`
	Slowest  time.Duration  `json:"slowestNanoseconds"`
	// Joined were acknowledged, and Lost of them are not there at the end.
	Joined int `json:"joined"`
	Lost   int `json:"lost"`
	// Approved were acknowledged; each gets one email.
	Approved       int `json:"approved"`
	WithoutEmail   int `json:"withoutEmail"`
	MoreThanOneFor int `json:"moreThanOneEmailFor"`
	// Examples are the first failures, with their moments.
	Examples []string `json:"examples"`
}

// Sound reports whether nothing failed and nothing was lost or done twice.
func (r Report) Sound() bool {
	return r.Failed == 0 && r.Lost == 0 && r.WithoutEmail == 0 && r.MoreThanOneFor == 0
}

func (r Report) String() string {
	return fmt.Sprintf("%s; %d joined, %d lost; %d approved, %d without an email, %d with more than one",
		r.Answers(), r.Joined, r.Lost, r.Approved, r.WithoutEmail, r.MoreThanOneFor)
}

// Answers is what can be said while traffic goes on: what is lost shows at the end.
func (r Report) Answers() string {
	return fmt.Sprintf("%d requests, %d failed %v; median %s, p99 %s, slowest %s",
		r.Requests, r.Failed, r.ByName, r.Median.Round(time.Millisecond), r.P99.Round(time.Millisecond), r.Slowest.Round(time.Millisecond))
}

const maxExamples = 20

// ledger is what was sent and what came of it.
type ledger struct {
	mu        sync.Mutex
	durations []time.Duration
	failures  map[string]int
	examples  []string
	// waiting have joined and may be approved.
	waiting []string
	// entered tells of everybody whose joining was acknowledged whether they are there.
	entered map[string]bool
	// mailed counts the emails of everybody whose approval was acknowledged.
	mailed map[string]int
}

func newLedger() *ledger {
	return &ledger{failures: map[string]int{}, entered: map[string]bool{}, mailed: map[string]int{}}
}

func (l *ledger) answered(_ string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durations = append(l.durations, took)
}

func (l *ledger) failed(name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures[name]++
	if len(l.examples) < maxExamples {
		l.examples = append(l.examples, fmt.Sprintf("%s %s: %v", time.Now().UTC().Format(time.TimeOnly), name, err))
	}
}

func (l *ledger) joined(email string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entered[email] = false
	l.waiting = append(l.waiting, email)
}

func (l *ledger) toApprove() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return ""
	}
	email := l.waiting[0]
	l.waiting = l.waiting[1:]
	return email
}

func (l *ledger) approved(email string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mailed[email] = 0
}

func (l *ledger) found(entries map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for email := range l.entered {
		_, l.entered[email] = entries[email]
	}
}

func (l *ledger) emails(email string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mailed[email] = n
}

func (l *ledger) withoutEmail() (emails []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for email, n := range l.mailed {
		if n == 0 {
			emails = append(emails, email)
		}
	}
	return emails
}

func (l *ledger) nothingMissing() bool {
	r := l.report()
	return r.Lost == 0 && r.WithoutEmail == 0
}

func (l *ledger) report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	sorted := slices.Sorted(slices.Values(l.durations))
	at := func(share float64) time.Duration {
		if len(sorted) == 0 {
			return 0
		}
		return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
	}
	r := Report{
		Requests: len(sorted), ByName: maps.Clone(l.failures), Median: at(0.5), P99: at(0.99), Slowest: at(1),
		Joined: len(l.entered), Approved: len(l.mailed), Examples: slices.Clone(l.examples),
	}
	for _, n := range l.failures {
		r.Failed += n
		r.Requests += n
	}
	for _, there := range l.entered {
		if !there {
			r.Lost++
		}
	}
	for _, n := range l.mailed {
		switch {
		case n == 0:
			r.WithoutEmail++
		case n > 1:
			r.MoreThanOneFor++
		}
	}
	return r
}
