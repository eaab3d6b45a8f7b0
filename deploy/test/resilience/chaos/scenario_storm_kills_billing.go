package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
	"golang.org/x/sync/errgroup"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
)

var billings = []string{"billing", "billing-2"}

// market is Stripe, and the people who buy.
type market struct {
	site      string
	stripe    *stripe.Server
	dashboard *sdk.Client // what people change at Stripe by hand
	customers []*customer
	// bought and played count people, told is in thousandths: how far the storm has got.
	bought, played, told atomic.Int64
}

// storm kills billing, in two replicas, while people buy subscriptions and these live two
// months at Stripe, whose events come late, shuffled and several times.
func storm() Scenario {
	m := &market{}
	return Scenario{
		Name:     "storm",
		About:    "billing is killed, also between Stripe and us; every account is as Stripe says, and nothing is granted or spent twice",
		Defaults: Options{People: 500, Faults: 20},
		World: func(ctx context.Context, r *Run, product *stack.Options) error {
			address, err := m.open(ctx, r)
			product.Replicas, product.Stripe = map[string]int{"billing": len(billings)}, stack.StripeStandIn(address)
			// One machine plays hundreds of people, and does other work too.
			product.Settings = map[string][]string{
				"gateway": stacktest.NoLimits(), "billing": {"DATABASE_DEADLINE=5s", "DATABASE_STATEMENT_TIMEOUT=5s"},
			}
			return err
		},
		Gather: m.gather,
		Phases: func(o Options) []Phase {
			return []Phase{{Name: "storm", Faults: kills(o.Seed, o.Faults, o.People), Work: m.blow, Progress: m.progress}}
		},
		Settle: m.settle,
		Checks: m.checks(),
	}
}

// cuts are the calls to Stripe after which a crash would hurt most.
var cuts = []string{"POST /v1/customers", "POST /v1/checkout/sessions"}

// kills plans one fault for each call of cuts, while people buy, and n that kill a replica
// or, now and then, both, in the order of their places. The same seed plans the same.
func kills(seed uint64, n, people int) (plan []Fault) {
	random := rand.New(rand.NewPCG(seed, 1))
	outage := func() time.Duration { return time.Duration(random.Int64N(int64(2 * time.Second))) }
	for _, call := range cuts {
		// Not one of the last: a call that its caller did not outlive may need no other.
		plan = append(plan, Fault{After: call, Nth: 1 + random.IntN(max(1, people/2)), Act: Kill, Parts: billings, Down: outage()})
	}
	for i := range n {
		f := Fault{At: (float64(i) + random.Float64()) / float64(n), Act: Kill, Parts: []string{billings[random.IntN(len(billings))]}, Down: outage()}
		if random.IntN(5) == 0 {
			f.Parts = billings
		}
		plan = append(plan, f)
	}
	return plan
}

// Each event is delivered up to copies times, each copy up to delay late, so that they
// overtake each other and what happens at Stripe meanwhile.
const (
	copies   = 7
	delay    = 3 * time.Second
	parallel = 16
	// patience is how long somebody tries again while the product does not answer.
	patience = 90 * time.Second
	// Some spend credits all the time, a hundredth of a month at once.
	spenders    = 8
	spendRate   = 80
	spendAmount = 0.5
)

// progress is how far the storm has got. Progress and not time, so that a slow machine
// meets the same faults at the same places.
func (m *market) progress() float64 {
	people := float64(len(m.customers))
	return 0.3*float64(m.bought.Load())/people + 0.4*float64(m.played.Load())/people/acts + 0.3*float64(m.told.Load())/1000
}

func (m *market) gather(ctx context.Context, r *Run) (load.Mix, error) {
	m.site = r.product.URLs().Site
	m.customers = make([]*customer, r.opts.People)
	err := m.each(ctx, func(ctx context.Context, i int) error {
		m.customers[i] = &customer{Person: person.New(m.site), email: fmt.Sprintf("customer-%04d@fledge.test", i)}
		return m.customers[i].SignIn(ctx, m.customers[i].email)
	})
	return func(n int) load.Request {
		c := m.customers[n%min(spenders, len(m.customers))]
		return spendOf(c.Person, fmt.Sprintf("%s/%d", c.email, n), spendAmount, patience)
	}, err
}

// blow lets everybody buy, and what is planned happen to each subscription, until Stripe has told everything.
func (m *market) blow(ctx context.Context, r *Run) error {
	err := m.stripe.SetDelivery(stripe.Delivery{
		Shuffled: true, Copies: copies, DelayMillis: int(delay.Milliseconds()), Parallel: parallel, Seed: r.opts.Seed,
	})
	if err != nil {
		return err
	}
	err = m.each(ctx, func(ctx context.Context, i int) error {
		defer m.bought.Add(1)
		return m.buy(ctx, m.customers[i])
	})
	if err != nil {
		return err
	}
	r.log("everybody has bought a plan")
	spending, enough := context.WithCancel(ctx)
	defer enough()
	spent := make(chan load.Sample, 1)
	go func() { spent <- r.generator.Run(spending, "spends", spendRate, spenders) }()
	err = m.play(ctx, r)
	total := m.stripe.Deliveries().Pending
	for pending := total; err == nil && pending > 0; pending = m.stripe.Deliveries().Pending {
		total = max(total, pending)
		m.told.Store(int64(1000 * (total - pending) / total))
		err = wait(ctx, poll)
	}
	m.told.Store(1000)
	enough()
	r.samples = append(r.samples, <-spent)
	return err
}

// play has what is planned for each subscription happen, and time pass.
func (m *market) play(ctx context.Context, r *Run) error {
	histories := newHistories(r.opts.Seed, len(m.customers))
	for act := range acts {
		err := m.each(ctx, func(ctx context.Context, i int) error {
			defer m.played.Add(1)
			return m.perform(ctx, m.customers[i], histories[i][act])
		})
		if err != nil {
			return err
		}
		// A month, with the hours in which renewals are collected, and the days in
		// which failed ones are tried again.
		if err := m.stripe.Advance(ctx, 1, 2*time.Hour); err != nil {
			return err
		}
		if err := m.stripe.Advance(ctx, 0, 16*24*time.Hour); err != nil {
			return err
		}
		r.log("month %d is over", act+1)
		// The next act begins when half of what there is to tell has been told, so
		// that Stripe changes while what it told before is being applied.
		backlog := m.stripe.Deliveries().Pending
		for m.stripe.Deliveries().Pending > backlog/2 {
			if err := wait(ctx, poll); err != nil {
				return err
			}
		}
	}
	return nil
}

// each works on all customers, a few at once, until one fails.
func (m *market) each(ctx context.Context, work func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range m.customers {
		group.Go(func() error { return work(ctx, i) })
	}
	return group.Wait()
}

// settle waits until all that was told is applied. A job whose process was killed goes on
// by itself only after a minute; what it was about has been applied by then, through
// another event or the comparison with Stripe at the next start, so in a quick run checks
// that hold meanwhile are believed.
func (m *market) settle(ctx context.Context, r *Run) error {
	const waiting = "SELECT count(*) FROM stripe_events e WHERE state = 'pending'"
	const alive = waiting + ` AND NOT EXISTS (SELECT FROM jobs.river_job j
		WHERE j.args->>'id' = e.id AND j.state = 'running' AND j.attempted_at < now() - interval '5 s')`
	return until(ctx, "Stripe's events are applied", func() (bool, error) {
		n, err := r.databases.number(ctx, "billing", waiting)
		if err != nil || n == 0 || !r.opts.Quick {
			return n == 0, err
		}
		if n, err = r.databases.number(ctx, "billing", alive); err != nil || n > 0 {
			return false, err
		}
		found, err := r.look(ctx)
		return (&Report{Results: found}).OK(), err
	})
}
