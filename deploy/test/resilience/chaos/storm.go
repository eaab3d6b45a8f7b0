// Package chaos tests what the product promises about money, by breaking it while it
// works: the whole product as processes, billing in two replicas, a plan of crashes
// generated from a seed, a ledger of acknowledgements, and at the end a comparison with
// Stripe, line by line.
package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/procs"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/stacktest"
)

// Options describe a storm.
type Options struct {
	// Seed decides the lives of the subscriptions and the faults.
	Seed uint64
	// People have a subscription each.
	People int
	// Kills is the number of crashes, not counting those of cuts.
	Kills int
	// Product is what the storm goes over; its form, replicas and Stripe are set.
	Product stack.Options
	// AwaitOrphans waits for events whose job was begun by a process that was
	// killed, up to two minutes, although what they are about is applied.
	AwaitOrphans bool
	// Log tells how far it has got.
	Log io.Writer
}

// Each event is delivered up to copies times, each copy up to delay late, so that
// they overtake each other and what happens at Stripe meanwhile.
const (
	copies   = 7
	delay    = 3 * time.Second
	parallel = 16
	settleIn = 4 * time.Minute
)

var replicas = []string{"billing", "billing-2"}

type storm struct {
	opts      Options
	site      string
	product   *stack.Stack
	stripe    *stripe.Server
	dashboard *sdk.Client // what people change at Stripe by hand
	courier   *courier
	nemesis   *nemesis
	database  *pgxpool.Pool
	customers []*customer
	spent     *procs.Ledger

	bought, lived atomic.Int64
	settled       atomic.Uint64 // thousandths
	mu            sync.Mutex
	notes         []string
}

// Run lets a storm go over a product of its own and reports what it found. The
// error says that the storm itself could not take place.
func Run(ctx context.Context, opts Options) (_ *Report, err error) {
	s := &storm{opts: opts, courier: newCourier(), spent: procs.NewLedger()}
	began := time.Now()
	stop, err := s.build(ctx)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return nil, err
	}
	if err := s.gather(ctx); err != nil {
		return nil, err
	}
	s.log("%d people have signed in", opts.People)
	plan := NewPlan(opts.Seed, opts.Kills, opts.People, replicas)
	unleashed := time.Now()
	if err := s.blow(ctx, plan); err != nil {
		return nil, err
	}
	checks, err := s.settle(ctx)
	if err != nil {
		return nil, err
	}
	return s.report(plan, checks, unleashed, time.Since(began)), s.nemesis.err()
}

// build starts Stripe, the product, and what stands between them. stop is never nil.
func (s *storm) build(ctx context.Context) (stop func() error, err error) {
	var stops []func() error
	stop = func() (err error) {
		for i := len(stops) - 1; i >= 0; i-- {
			err = errors.Join(err, stops[i]())
		}
		return err
	}
	hooks := httptest.NewServer(s.courier)
	stops = append(stops, func() error { hooks.Close(); return nil })
	s.stripe, err = stripe.Start(ctx, stripe.Options{
		Addr: "127.0.0.1:0", WebhookURL: hooks.URL + "/webhook", Retry: []time.Duration{100 * time.Millisecond, 500 * time.Millisecond},
	})
	if err != nil {
		return stop, err
	}
	stops = append(stops, func() error { return s.stripe.Close(context.Background()) })
	s.nemesis, err = newNemesis(s.stripe.URL(), func(name string) (*procs.Program, error) { return s.product.Program(name) }, s.progress)
	if err != nil {
		return stop, err
	}
	between := httptest.NewServer(s.nemesis)
	stops = append(stops, func() error { between.Close(); return nil })
	s.dashboard = sdk.NewClient(stripe.SecretKey, sdk.WithBackends(sdk.NewBackendsWithConfig(&sdk.BackendConfig{
		URL: sdk.String(s.stripe.URL()), LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull}, EnableTelemetry: sdk.Bool(false),
	})))
	if s.product, err = stack.Start(ctx, product(s.opts.Product, between.URL)); err != nil {
		return stop, err
	}
	stops = append(stops, func() error { return s.product.Stop(context.Background()) })
	s.site = s.product.URLs().Site
	s.courier.to = s.product.GatewayURL() + stack.StripeWebhook
	if s.database, err = pgxpool.New(ctx, s.product.DatabaseURL("billing")); err != nil {
		return stop, err
	}
	stops = append(stops, func() error { s.database.Close(); return nil })
	return stop, nil
}

// product is two replicas of billing, whose Stripe is at an address. One machine
// plays hundreds of people, and does other work too.
func product(opts stack.Options, stripeURL string) stack.Options {
	opts.Form, opts.Replicas, opts.Stripe = stack.Processes, map[string]int{"billing": len(replicas)}, stack.StandIn(stripeURL)
	opts.Settings = map[string][]string{
		"gateway": stacktest.NoLimits(), "billing": {"DATABASE_DEADLINE=5s", "DATABASE_STATEMENT_TIMEOUT=5s"},
	}
	return opts
}

// gather has everybody sign in.
func (s *storm) gather(ctx context.Context) error {
	s.customers = make([]*customer, s.opts.People)
	return each(ctx, len(s.customers), func(ctx context.Context, i int) error {
		c := &customer{Person: person.New(s.site), email: fmt.Sprintf("customer-%04d@fledge.test", i)}
		s.customers[i] = c
		return c.SignIn(ctx, c.email)
	})
}

// blow lets everybody buy and live while the plan is carried out.
func (s *storm) blow(ctx context.Context, plan []Fault) error {
	err := s.stripe.SetDelivery(stripe.Delivery{
		Shuffled: true, Copies: copies, DelayMillis: int(delay.Milliseconds()), Parallel: parallel, Seed: s.opts.Seed,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var faults, spending sync.WaitGroup
	defer faults.Wait()
	rest := s.nemesis.expect(plan)
	faults.Go(func() { s.nemesis.run(ctx, rest) })
	err = each(ctx, len(s.customers), func(ctx context.Context, i int) error {
		defer s.bought.Add(1)
		return s.buy(ctx, s.customers[i])
	})
	if err != nil {
		cancel()
		return err
	}
	s.log("everybody has bought a plan")
	spendingCtx, endSpending := context.WithCancel(ctx)
	for i := range min(spenders, len(s.customers)) {
		spending.Go(func() { s.spend(spendingCtx, s.customers[i]) })
	}
	err = s.live(ctx)
	if err == nil {
		err = s.drain(ctx)
	}
	endSpending()
	spending.Wait()
	if err != nil {
		cancel()
	}
	return err
}

// live lets each subscription have its life, and time pass.
func (s *storm) live(ctx context.Context) error {
	lives := NewLives(s.opts.Seed, len(s.customers))
	for act := range len(Life{}) {
		err := each(ctx, len(s.customers), func(ctx context.Context, i int) error {
			defer s.lived.Add(1)
			return s.perform(ctx, s.customers[i], lives[i][act])
		})
		if err != nil {
			return err
		}
		// A month, with the hours in which renewals are collected, and the days in
		// which failed ones are tried again.
		if err := s.stripe.Advance(ctx, 1, 2*time.Hour); err != nil {
			return err
		}
		if err := s.stripe.Advance(ctx, 0, 16*24*time.Hour); err != nil {
			return err
		}
		s.log("month %d is over", act+1)
		// The next act begins when half of what there is to tell has been told, so
		// that Stripe changes while what it told before is being applied.
		backlog := s.stripe.Deliveries().Pending
		if err := s.until(ctx, func() bool { return s.stripe.Deliveries().Pending <= backlog/2 }); err != nil {
			return err
		}
	}
	return nil
}

// drain waits until Stripe has told everything.
func (s *storm) drain(ctx context.Context) error {
	total := 0
	return s.until(ctx, func() bool {
		pending := s.stripe.Deliveries().Pending
		total = max(total, pending)
		s.settled.Store(uint64(1000 * (total - pending) / max(total, 1)))
		return pending == 0
	})
}

// progress is how far the storm has got, from 0 to 1.
func (s *storm) progress() float64 {
	people := float64(s.opts.People)
	return buyingShare*float64(s.bought.Load())/people + livingShare*float64(s.lived.Load())/people/float64(len(Life{})) +
		settingShare*float64(s.settled.Load())/1000
}

func (s *storm) until(ctx context.Context, holds func() bool) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

func (s *storm) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *storm) log(format string, args ...any) {
	_, _ = fmt.Fprintf(s.opts.Log, "%s  %3.0f %%  %d kills  %s\n", time.Now().Format(time.TimeOnly), 100*s.progress(), s.nemesis.count(), fmt.Sprintf(format, args...))
}
