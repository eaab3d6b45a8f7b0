package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"fledge.dev/deploy/local/link"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/subprocess"
)

// Act is what a fault does.
type Act string

// The acts. The first four are about programs, which are started again or go on; the
// others about the links from Parts[0] to Parts[1], which are healed.
const (
	Kill      Act = "kill"       // SIGKILL
	Pause     Act = "pause"      // SIGSTOP, then SIGCONT
	Restart   Act = "restart"    // SIGTERM, as an upgrade does
	Wipe      Act = "wipe"       // kill servers of NATS and remove what they have stored
	Cut       Act = "cut"        // reset the connections
	Refuse    Act = "refuse"     // reset them, and each new one
	Blackhole Act = "black-hole" // nothing passes, nobody is told
)

// Fault is something that breaks and is repaired after a while.
type Fault struct {
	// At is how far the phase has got, from 0 to 1.
	At float64
	// After, unless empty, is a call to Stripe instead, see [between]: the fault comes when
	// Stripe has done what the Nth asked for, and before the caller gets the answer.
	After string
	Nth   int

	Act   Act
	Parts []string
	// Down is how long it lasts, at least.
	Down time.Duration
	// Meanwhile waits for what must happen although it lasts, Then for what must happen once
	// it is being repaired, which began at since.
	Meanwhile, Then func(ctx context.Context, r *Run, since time.Time) error
}

func (f Fault) String() string {
	return fmt.Sprintf("%s %s for %s", f.Act, strings.Join(f.Parts, ", "), f.Down.Round(time.Millisecond))
}

// nemesis carries faults out, one at a time.
type nemesis struct {
	run    *Run
	acting sync.Mutex
}

const servesAfter = "a service serves after its start"

// carryOut inflicts the faults of a phase in the order of their places.
func (n *nemesis) carryOut(ctx context.Context, p Phase) error {
	for i, f := range p.Faults {
		if f.After != "" {
			continue
		}
		for p.Progress() < f.At {
			if err := wait(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
		n.run.log("%2d of %d: %s", i+1, len(p.Faults), f)
		end, err := n.begin(ctx, f)
		if err == nil {
			err = end()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
	return nil
}

// begin breaks something and returns what waits and repairs it, which must be called.
func (n *nemesis) begin(ctx context.Context, f Fault) (end func() error, err error) {
	n.acting.Lock()
	began := time.Now()
	repair, err := n.inflict(ctx, f)
	if err != nil {
		n.acting.Unlock()
		return nil, err
	}
	return func() error {
		defer n.acting.Unlock()
		if f.Meanwhile != nil {
			if err := f.Meanwhile(ctx, n.run, began); err != nil {
				return err
			}
		}
		if err := wait(ctx, f.Down-time.Since(began)); err != nil {
			return err
		}
		repairing := time.Now()
		if err := repair(); err != nil || f.Then == nil {
			return err
		}
		return f.Then(ctx, n.run, repairing)
	}, nil
}

func (n *nemesis) inflict(ctx context.Context, f Fault) (repair func() error, err error) {
	if disconnect := map[Act]func(link.Links){Cut: link.Links.Cut, Refuse: link.Links.Refuse, Blackhole: link.Links.Blackhole}[f.Act]; disconnect != nil {
		links := n.run.product.Links(f.Parts[0], f.Parts[1])
		if len(links) == 0 {
			return nil, errors.New("there are no such links")
		}
		n.run.count(string(f.Act), len(links))
		disconnect(links)
		return func() error { links.Heal(); return nil }, nil
	}
	ctx = context.WithoutCancel(ctx)
	down := map[Act]func(*subprocess.Program) error{
		Kill: (*subprocess.Program).Kill, Wipe: (*subprocess.Program).Kill, Pause: (*subprocess.Program).Pause,
		Restart: func(p *subprocess.Program) error { return p.Stop(ctx) },
	}[f.Act]
	up := func(p *subprocess.Program) error { return n.start(ctx, p) }
	if f.Act == Pause {
		up = (*subprocess.Program).Resume
	}
	n.run.count(string(f.Act), len(f.Parts))
	if err := n.all(f.Parts, down); err != nil {
		return nil, err
	}
	if f.Act == Wipe {
		for _, server := range f.Parts {
			err = errors.Join(err, os.RemoveAll(n.run.product.NATSStore(server)))
		}
	}
	return func() error { return n.all(f.Parts, up) }, err
}

// all does the same to several programs at once.
func (n *nemesis) all(names []string, do func(*subprocess.Program) error) error {
	var together errgroup.Group
	for _, name := range names {
		together.Go(func() error {
			p, err := n.run.product.Program(name)
			if err != nil {
				return err
			}
			return do(p)
		})
	}
	return together.Wait()
}

func (n *nemesis) start(ctx context.Context, p *subprocess.Program) error {
	began := time.Now()
	if err := p.Start(ctx); err != nil {
		return err
	}
	if slices.Contains(twofold(), p.Name()) {
		n.run.took(servesAfter, time.Since(began))
	}
	return nil
}

// twofold are the instances of the services and of the gateway where there are two of each.
func twofold() []string { return stack.Options{Replicas: stack.ReplicasOfAll(2)}.Instances() }
