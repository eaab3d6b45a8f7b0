package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/procs"
)

// nemesis carries a plan of faults out. It also stands between the product and
// Stripe, to crash the one right after the other has done something.
type nemesis struct {
	program func(name string) (*procs.Program, error)
	// progress is how far the storm has got.
	progress func() float64
	proxy    *httputil.ReverseProxy

	mu      sync.Mutex
	calls   map[string]int // so far
	waiting []Fault        // for a call
	kills   []time.Time
	started time.Time // when the last program that was killed was back
	errs    []error
	repairs sync.WaitGroup
	acting  sync.Mutex // one crash at a time
}

func newNemesis(stripe string, program func(string) (*procs.Program, error), progress func() float64) (*nemesis, error) {
	u, err := url.Parse(stripe)
	if err != nil {
		return nil, err
	}
	n := &nemesis{program: program, progress: progress, calls: map[string]int{}}
	n.proxy = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ModifyResponse: n.cut,
		// The product is killed while it calls: whose connection broke is no news.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	return n, nil
}

func (n *nemesis) ServeHTTP(w http.ResponseWriter, r *http.Request) { n.proxy.ServeHTTP(w, r) }

// expect has the faults of a plan that come after a call wait for it. The others
// are for run.
func (n *nemesis) expect(plan []Fault) (rest []Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, fault := range plan {
		if fault.After == "" {
			rest = append(rest, fault)
		} else {
			n.waiting = append(n.waiting, fault)
		}
	}
	return rest
}

// run carries the plan out until it is done or ctx ends.
func (n *nemesis) run(ctx context.Context, plan []Fault) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	defer n.repairs.Wait()
	for _, fault := range plan {
		for n.progress() < fault.At {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
		n.crash(ctx, fault)()
	}
}

// cut is called when Stripe has done what it was asked and nobody knows it yet.
func (n *nemesis) cut(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	call := answer.Request.Method + " " + answer.Request.URL.Path
	n.mu.Lock()
	n.calls[call]++
	due := func(f Fault) bool { return f.After == call && f.Nth == n.calls[call] }
	i := slices.IndexFunc(n.waiting, due)
	if i < 0 {
		n.mu.Unlock()
		return nil
	}
	fault := n.waiting[i]
	n.waiting = slices.Delete(n.waiting, i, i+1)
	n.mu.Unlock()
	n.repairs.Go(n.crash(context.WithoutCancel(answer.Request.Context()), fault))
	return errors.New("the caller is dead")
}

// crash kills, and returns what starts the programs again.
func (n *nemesis) crash(ctx context.Context, f Fault) (repair func()) {
	n.acting.Lock()
	var dead []*procs.Program
	for _, name := range f.Programs {
		program, err := n.program(name)
		if err == nil {
			err = program.Kill()
		}
		if err != nil {
			n.fail(fmt.Errorf("kill %s: %w", name, err))
			continue
		}
		dead = append(dead, program)
		n.mu.Lock()
		n.kills = append(n.kills, time.Now())
		n.mu.Unlock()
	}
	return func() {
		defer n.acting.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(f.Down):
		}
		for _, program := range dead {
			if err := program.Start(context.WithoutCancel(ctx)); err != nil {
				n.fail(fmt.Errorf("start %s: %w", program.Name(), err))
			}
		}
		n.mu.Lock()
		n.started = time.Now()
		n.mu.Unlock()
	}
}

func (n *nemesis) fail(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.errs = append(n.errs, err)
}

// err is what went wrong with the faults themselves, or a fault that met no call.
func (n *nemesis) err() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	errs := n.errs
	for _, fault := range n.waiting {
		errs = append(errs, fmt.Errorf("no %s was the %dth, to be cut off", fault.After, fault.Nth))
	}
	return errors.Join(errs...)
}

func (n *nemesis) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.kills)
}
