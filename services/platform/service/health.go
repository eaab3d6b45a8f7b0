package service

import (
	"context"
	"maps"
	"sync"
	"time"
)

// checkTimeout bounds each readiness check, so that a hanging dependency reads
// as down instead of hanging the probe.
const checkTimeout = time.Second

// Health knows whether the process can take work. Checks look at the process
// itself and its own pools, never at other services: one outage must not take
// the whole product out of rotation.
type Health struct {
	mu     sync.Mutex
	ready  bool
	checks map[string]check
}

type check struct {
	run func(context.Context) error
	// gates says whether a failure makes the process not ready.
	gates bool
}

// NewHealth returns a Health that is not ready.
func NewHealth() *Health { return &Health{checks: map[string]check{}} }

// Add registers a readiness check under a name.
func (h *Health) Add(name string, run func(context.Context) error) {
	h.set(name, check{run: run, gates: true})
}

// Inform registers a check that shows people the state of a part that the
// process can do without for a while.
func (h *Health) Inform(name string, run func(context.Context) error) {
	h.set(name, check{run: run})
}

func (h *Health) set(name string, c check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks[name] = c
}

func (h *Health) setReady(ready bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ready = ready
}

// Report is the outcome of all checks: nil for a check that passed.
type Report struct {
	Ready  bool
	Checks map[string]error
}

// Check runs every check at the same time and reports.
func (h *Health) Check(ctx context.Context) Report {
	h.mu.Lock()
	ready, checks := h.ready, maps.Clone(h.checks)
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()

	type result struct {
		name string
		err  error
	}
	results := make(chan result, len(checks))
	for name, check := range checks {
		go func() { results <- result{name, check.run(ctx)} }()
	}
	report := Report{Ready: ready, Checks: map[string]error{}}
	for range checks {
		r := <-results
		report.Checks[r.name] = r.err
		report.Ready = report.Ready && (r.err == nil || !checks[r.name].gates)
	}
	return report
}
