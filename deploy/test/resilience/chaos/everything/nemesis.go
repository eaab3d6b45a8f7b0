package everything

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/procs"
	"fledge.dev/deploy/local/stack"
)

// Limits within which something must have happened at all, on the busiest machine.
const (
	seenWithin = 3 * time.Minute
	poll       = 50 * time.Millisecond
)

// Figures are what was measured while faults came and went: the worst of each.
type Figures struct {
	Kills, Pauses, Wipes, Broken int
	// Serving is the longest that a service took from its start to its readiness.
	Serving time.Duration
	// Gap is the longest without a publication after one of three servers had gone.
	Gap time.Duration
	// Refilled is the longest until lost streams were whole again, from the servers' start.
	Refilled time.Duration
	// Unheard are the writes that were acknowledged while two of three servers were down.
	Unheard int
}

// nemesis carries a plan out, one fault after the other.
type nemesis struct {
	product *stack.Stack
	books   *books
	crowd   *crowd
	log     func(format string, args ...any)

	figures Figures
}

func (n *nemesis) run(ctx context.Context, plan []Fault, lasts time.Duration) error {
	began := time.Now()
	for i, fault := range plan {
		due := time.NewTimer(time.Until(began.Add(time.Duration(fault.At * float64(lasts)))))
		select {
		case <-ctx.Done():
			due.Stop()
			return ctx.Err()
		case <-due.C:
		}
		n.log("%2d of %d: %s", i+1, len(plan), fault)
		if err := n.inflict(ctx, fault); err != nil {
			return fmt.Errorf("%s: %w", fault, err)
		}
	}
	return nil
}

func (n *nemesis) inflict(ctx context.Context, f Fault) error {
	switch f.Act {
	case Cut, Refuse, Blackhole:
		return n.disconnect(ctx, f)
	}
	programs, err := n.programs(f.Parts)
	if err != nil {
		return err
	}
	began := time.Now()
	if f.Act == Pause {
		n.figures.Pauses += len(programs)
		err = all(programs, (*procs.Program).Pause)
	} else {
		n.figures.Kills += len(programs)
		err = all(programs, (*procs.Program).Kill)
	}
	if err != nil {
		return err
	}
	if f.Act == Wipe {
		n.figures.Wipes++
		for _, server := range f.Parts {
			err = errors.Join(err, os.RemoveAll(n.product.NATSStore(server)))
		}
	}
	if err = errors.Join(err, n.endure(ctx, f, began)); err != nil {
		return err
	}
	repairing := time.Now()
	if f.Act == Pause {
		return all(programs, (*procs.Program).Resume)
	}
	if err := all(programs, func(p *procs.Program) error { return n.start(ctx, p) }); err != nil {
		return err
	}
	if f.Act == Wipe {
		if err := n.books.refilled(ctx, repairing); err != nil {
			return err
		}
		n.figures.Refilled = max(n.figures.Refilled, time.Since(repairing))
	}
	return nil
}

// endure waits as long as the fault lasts, and until what must happen meanwhile has.
func (n *nemesis) endure(ctx context.Context, f Fault, began time.Time) error {
	servers := 0
	for _, part := range f.Parts {
		if slices.Contains(natsNames, part) {
			servers++
		}
	}
	if servers == 1 {
		if err := n.books.published(ctx, began); err != nil {
			return err
		}
		n.figures.Gap = max(n.figures.Gap, time.Since(began))
	}
	if servers == natsServers-1 {
		before := n.crowd.writes()
		if err := until(ctx, "a write is acknowledged without NATS", func() (bool, error) { return n.crowd.writes() > before, nil }); err != nil {
			return err
		}
		defer func() { n.figures.Unheard += n.crowd.writes() - before }()
	}
	return wait(ctx, f.Down-time.Since(began))
}

func (n *nemesis) disconnect(ctx context.Context, f Fault) error {
	links := n.product.Links(f.From, f.To)
	if len(links) == 0 {
		return errors.New("there are no such links")
	}
	n.figures.Broken += len(links)
	switch f.Act {
	case Cut:
		links.Cut()
	case Refuse:
		links.Refuse()
	default:
		links.Blackhole()
	}
	defer links.Heal()
	return wait(ctx, f.Down)
}

func (n *nemesis) start(ctx context.Context, p *procs.Program) error {
	began := time.Now()
	if err := p.Start(ctx); err != nil {
		return err
	}
	if isService(p.Name()) {
		n.books.Lock()
		n.figures.Serving = max(n.figures.Serving, time.Since(began))
		n.books.Unlock()
	}
	return nil
}

func (n *nemesis) programs(names []string) (programs []*procs.Program, err error) {
	for _, name := range names {
		p, findErr := n.product.Program(name)
		programs, err = append(programs, p), errors.Join(err, findErr)
	}
	return programs, err
}

func isService(instance string) bool {
	return !slices.Contains(append([]string{"postgres", "kratos"}, natsNames...), instance)
}

// all does the same to several at once.
func all(programs []*procs.Program, do func(*procs.Program) error) error {
	errs := make([]error, len(programs))
	var together sync.WaitGroup
	for i, p := range programs {
		together.Go(func() { errs[i] = do(p) })
	}
	together.Wait()
	return errors.Join(errs...)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// until polls with a generous timeout.
func until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		held, err := holds()
		if err == nil && held {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(ctx.Err(), err))
		case <-ticker.C:
		}
	}
}
