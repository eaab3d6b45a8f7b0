package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/standing"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/pgtest"
)

var simulations = flag.Int("simulations", 10, "how many runs of the simulation, one for each seed")

var simStart = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

const (
	simSteps = 360
	simActs  = 12
	// perDatabase keeps the tables small.
	perDatabase = 100
	simSecret   = "whsec_simulation" // not-a-secret
)

// machine is two senders, two workers, somebody who spends and who has left: the program itself, on
// a real database, with borders between all its steps. River's jobs are real, but who
// takes which of them up, and when, is the seed's choice and not River's.
type machine struct {
	*testing.T
	admin *pgxpool.Pool
	clock *clock.Fake
	procs []*process
	// world is that of the run.
	world *simulation
	runs  int
}

// simulation is one run.
type simulation struct {
	*machine
	*simStripe
	users []uuid.UUID
	// taken are jobs that somebody works at.
	taken  map[int64]*process
	spends []*simSpend
}

type simSpend struct {
	user     uuid.UUID
	key      string
	answered bool
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	url := pgtest.New(t, "billing_simulation", func(ctx context.Context, url string) error {
		return errors.Join(store.Migrate(ctx, url), Migrate(ctx, url))
	})
	m := &machine{T: t, clock: clock.NewFake(simStart)}
	m.admin = m.open(url, nil)
	for i := range 2 {
		m.add(url, fmt.Sprint("sender ", i), m.deliver)
		m.add(url, fmt.Sprint("worker ", i), m.work)
	}
	m.add(url, "app", m.spend)
	m.add(url, "identity", func(ctx context.Context, p *process, is program) {
		m.erase(ctx, p, is)
		m.hear(ctx, p, is)
	})
	return m
}

func (m *machine) open(url string, p *process) *pgxpool.Pool {
	m.Helper()
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		m.Fatal(err)
	}
	// Whether a commit is on disk when it is told makes no difference here.
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	if p != nil {
		cfg.MaxConns, cfg.ConnConfig.Tracer = 2, p
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(pool.Close)
	return pool
}

// program is what a process runs.
type program struct {
	inbox  *Inbox
	worker *worker
	ledger *ledger.Ledger
	// erasure is told of those who have left, standing of those who are disabled or enabled.
	erasure  bus.ConsumerSpec
	standing []bus.ConsumerSpec
}

func (m *machine) add(url, name string, round func(context.Context, *process, program)) {
	m.Helper()
	p := &process{name: name}
	p.pool = m.open(url, p)
	log, reg := slog.New(slog.DiscardHandler), prometheus.NewRegistry()
	queue, err := NewQueue(p.pool, reg, log)
	if err != nil {
		m.Fatal(err)
	}
	credits, err := ledger.New(p.pool, m.clock, ledger.Config{Deadline: time.Hour}, reg, log)
	if err != nil {
		m.Fatal(err)
	}
	plans := plan.NewCatalog(p.pool, plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{
		Pro: plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}, Business: plan.Offer{ProductID: "prod_business", PriceID: "price_business"},
	}}, time.Hour)
	p.round = func(ctx context.Context, p *process) {
		api := client{m.world.simStripe, p}
		subscriptions := subscription.New(p.pool, api, nil, plans, credits, nil, m.clock, subscription.Config{Deadline: time.Hour}, log)
		accounts, err := standing.New(api, addresses{}, credits, m.clock, prometheus.NewRegistry(), log)
		if err != nil {
			m.Error(err)
			return
		}
		verifier := stripe.NewVerifier(stripe.Config{WebhookSecrets: config.Secret(simSecret)})
		round(ctx, p, program{
			inbox:  NewInbox(p.pool, verifier, queue, m.clock, Config{Deadline: time.Hour}, log),
			worker: &worker{pool: p.pool, stripe: api, subscriptions: subscriptions, metrics: queue.metrics, clock: m.clock, log: log}, ledger: credits, erasure: accounts.Consumers(p.pool)[0], standing: accounts.Consumers(p.pool)[1:],
		})
	}
	m.procs = append(m.procs, p)
}

// account is the n-th that there ever was.
func account(n int) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(n))
	return id
}

// simulate returns what is wrong after the run of a seed, or nil.
func (m *machine) simulate(seed uint64) (s *simulation, err error) {
	m.runs++
	m.clock.Advance(simStart.Sub(m.clock.Now()))
	sched := &scheduler{t: m.T, rng: rand.New(rand.NewPCG(seed, 1)), procs: m.procs, admin: m.admin}
	s = &simulation{machine: m, taken: map[int64]*process{}, simStripe: &simStripe{
		scheduler: sched, run: fmt.Sprint(m.runs),
	}}
	m.world = s
	for i := range 2 {
		user := account(m.runs*10 + i)
		customer := fmt.Sprintf("cus_%d_%d", m.runs, i)
		if _, err := m.admin.Exec(m.Context(), "INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, $2, $3)", user, customer, m.clock.Now()); err != nil {
			m.Fatal(err)
		}
		s.users = append(s.users, user)
		s.subs = append(s.subs, &sold{
			user: user.String(), Subscription: stripe.Subscription{CustomerID: customer},
			grants: map[string]int64{}, withdrawals: map[string]bool{}, late: map[string]string{},
		})
	}
	// Nobody of this run knows what an earlier one was suspected of, nor who left in it.
	if _, err := m.admin.Exec(m.Context(), "DELETE FROM stripe_events WHERE state = 'parked'; DELETE FROM outbox"); err != nil {
		m.Fatal(err)
	}
	s.start()
	defer s.stop()
	identity := rand.New(rand.NewPCG(seed, 2)) // so that people live as they would without
	for i := range simSteps {
		if i%(simSteps/simActs) == 0 {
			s.live(m.clock.Now())
			s.stand(identity)
			m.clock.Advance(time.Duration(s.rng.IntN(8*24)) * time.Hour)
		}
		if s.step() {
			if err := s.broken(); err != nil {
				return s, err
			}
		}
	}
	s.calm = true
	s.quiet()
	if err := errors.Join(s.broken(), s.unsettled()); err != nil {
		return s, err
	}
	s.clear() // of warnings that wait by now
	s.quiet()
	return s, errors.Join(s.broken(), s.unsettled())
}

// quiet goes on until nothing is left to do.
func (s *simulation) quiet() {
	for i := range 10 * simSteps {
		s.step()
		if i%20 == 0 && s.idle() {
			return
		}
	}
}

func TestSimulatedCrashesGrantOnceAndLoseNothing(t *testing.T) {
	var m *machine
	events, kills, waits := 0, 0, 0
	for seed := range uint64(*simulations) {
		if seed%perDatabase == 0 {
			m = newMachine(t)
		}
		s, err := m.simulate(seed)
		if err != nil {
			t.Fatalf("seed %d: %v; the last steps:\n%s", seed, err, s.last(100))
		}
		events, kills = events+len(s.events), kills+s.kills
		for _, step := range s.steps {
			if step[len(step)-4:] == "lock" {
				waits++
			}
		}
	}
	t.Logf("%d runs, %d events, %d kills, %d waits for a lock", *simulations, events, kills, waits)
	if events < 5**simulations || kills < 3**simulations {
		t.Errorf("%d events and %d kills in %d runs are not much of a test", events, kills, *simulations)
	}
}

func TestASeedGivesTheSameCrashes(t *testing.T) {
	m := newMachine(t)
	for seed := range uint64(3) {
		first, _ := m.simulate(seed)
		second, _ := m.simulate(seed)
		if first.fingerprint() != second.fingerprint() {
			for i, step := range first.steps {
				if i >= len(second.steps) || second.steps[i] != step {
					t.Fatalf("seed %d runs in two ways from step %d: %q", seed, i, first.steps[max(0, i-10):i+1])
				}
			}
		}
	}
}
