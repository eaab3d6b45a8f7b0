package service

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// checkTimeout bounds each check, so that a hanging dependency counts as down
// instead of making the probe hang.
const checkTimeout = time.Second

// Health knows whether the process can take work. Checks look at the process
// itself and its own pools, never at other services: one outage must not take
// the whole product out of rotation.
type Health struct {
	mu     sync.Mutex
	ready  bool
	checks map[string]*check
}

type check struct {
	run func(context.Context) error
	// gates says that the process is not ready before the check has passed once.
	gates atomic.Bool
}

// NewHealth returns a Health that is not ready.
func NewHealth() *Health { return &Health{checks: map[string]*check{}} }

// GateStart registers a check under a name that has to pass once before the process
// is ready. From then on it only informs: otherwise an outage of a dependency that all
// replicas share would take all of them out of rotation, together with the work that does
// not need it.
func (h *Health) GateStart(name string, run func(context.Context) error) { h.set(name, run, true) }

// Inform registers a check that reports the state of a part without which the process
// can start.
func (h *Health) Inform(name string, run func(context.Context) error) { h.set(name, run, false) }

func (h *Health) set(name string, run func(context.Context) error, gates bool) {
	c := &check{run: run}
	c.gates.Store(gates)
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
		if r.err == nil {
			checks[r.name].gates.Store(false)
		}
		report.Ready = report.Ready && !checks[r.name].gates.Load()
	}
	return report
}
