package everything

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/resilience/chaos"
)

// Options describe a run.
type Options struct {
	// Seed decides the faults.
	Seed uint64
	// Faults is how many there are, Longest how long each lasts at most.
	Faults  int
	Longest time.Duration
	// Rate is in requests a second.
	Rate int
	// Lasts is the time over which the faults are spread. One that takes longer to repair
	// than there is time until the next moves the next.
	Lasts time.Duration
	// Product is what breaks; its form and replicas are set.
	Product stack.Options
	// Log tells how far it has got.
	Log io.Writer
}

// Tickets of one person wait for each other: there are enough people.
const (
	buyers  = 12
	devices = 4
)

// Run breaks a product of its own and reports what it found. The error says that the
// run itself could not take place.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	began := time.Now()
	log := func(format string, args ...any) {
		_, _ = fmt.Fprintf(opts.Log, "%s  %5.1f s  %s\n", time.Now().Format(time.TimeOnly), time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
	product, err := stack.Start(ctx, twofold(opts.Product))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.Stop(context.WithoutCancel(ctx))) }()
	b, err := openBooks(ctx, product)
	if err != nil {
		return nil, err
	}
	defer b.close()
	c := newCrowd(product.URLs().Site)
	if err := c.gather(ctx, product, b); err != nil {
		return nil, err
	}
	log("everybody is here")

	n := &nemesis{product: product, books: b, crowd: c, log: log}
	sending, stop := context.WithCancel(ctx)
	defer stop()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		c.run(sending, opts.Rate)
	}()
	err = n.run(ctx, NewPlan(opts.Seed, opts.Faults, opts.Longest), opts.Lasts)
	stop()
	<-sent
	if err != nil {
		return nil, err
	}
	log("the last fault is repaired, %d requests were answered", len(c.answers))
	report = &Report{Seed: opts.Seed, Faults: opts.Faults, Rate: opts.Rate, Figures: n.figures, Sent: c.dealt, Answered: len(c.answers), Refused: c.refused, Silent: c.silent}
	report.Median, report.P99 = chaos.Quantiles(c.answers)
	repaired := time.Now()
	converged := b.settled(ctx)
	report.Applied = time.Since(repaired)
	if report.Checks, err = check(ctx, b, c); err != nil {
		return nil, err
	}
	if converged != nil {
		report.Checks = append(report.Checks, chaos.Check{Name: "all events are applied", Problems: []string{converged.Error()}})
	}
	report.Took = time.Since(began)
	return report, nil
}

// twofold is a product with two of everything that can be two, and three servers of NATS.
func twofold(opts stack.Options) stack.Options {
	opts.Form, opts.NATSServers, opts.Linked = stack.Processes, natsServers, true
	opts.Replicas = stack.ReplicasOfAll(replicas)
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits(), "support": {"TICKETS_PER_HOUR=10000"}}
	return opts
}

// gather has everybody sign in, buyers have credits.
func (c *crowd) gather(ctx context.Context, product *stack.Stack, b *books) error {
	c.admin = person.New(c.site)
	err := until(ctx, "the admin signs in", func() (bool, error) { err := c.admin.SignIn(ctx, stack.AdminEmail); return err == nil, err })
	if err != nil {
		return err
	}
	for i := range buyers {
		buyer, bought := person.New(c.site), false
		c.buyers = append(c.buyers, buyer)
		err := until(ctx, "a buyer has credits", func() (bool, error) {
			if buyer.ID() == "" {
				return false, buyer.SignIn(ctx, fmt.Sprintf("buyer-%d@fledge.test", i))
			}
			if !bought {
				err := stacktest.Buy(ctx, buyer, c.site, product.URLs().Stripe)
				bought = err == nil
				return false, err
			}
			n, err := b.number(ctx, "billing", "SELECT count(*) FROM credit_accounts WHERE user_id = $1 AND balance > 0", buyer.ID())
			return n > 0, err
		})
		if err != nil {
			return err
		}
	}
	for i := range devices {
		d := &device{site: c.site, owner: c.buyers[i]}
		c.devices = append(c.devices, d)
		if err := until(ctx, "a Mac is signed in", func() (bool, error) { err := d.begin(ctx); return err == nil, err }); err != nil {
			return err
		}
	}
	return nil
}
