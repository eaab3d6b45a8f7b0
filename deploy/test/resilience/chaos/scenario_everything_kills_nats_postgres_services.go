package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
)

const (
	publishedAfter = "events are published after one of three NATS servers went"
	wholeAfter     = "lost streams are whole again by themselves"
	withoutNATS    = "writes acknowledged with two of three NATS servers down"
)

var natsServers = []string{"nats", "nats-2", "nats-3"}

// everything breaks, one after the other: NATS, PostgreSQL, Kratos, the services, the
// gateway, each a process of its own, and the links between them.
func everything() Scenario {
	all := &users{}
	var leavers []*leaver
	return Scenario{
		Name:     "everything",
		About:    "all parts are killed, paused, cut off or wiped; nothing is lost, doubled or invented",
		Defaults: Options{Faults: 2 * kinds, Longest: 6 * time.Second, Rate: 50, For: 3 * time.Minute},
		World: func(_ context.Context, _ *Run, product *stack.Options) error {
			product.NATSServers, product.Linked, product.Replicas = len(natsServers), true, stack.ReplicasOfAll(2)
			product.Settings = map[string][]string{"gateway": stacktest.NoLimits(), "support": {"TICKETS_PER_HOUR=10000"}, "identity": {withoutGrace}}
			return nil
		},
		Gather: func(ctx context.Context, r *Run) (load.Mix, error) {
			mix, err := all.gather(ctx, r)
			if err == nil {
				leavers, err = gatherLeavers(ctx, r)
			}
			if err != nil {
				return nil, err
			}
			return leaving(leavers, r.opts, mix), nil
		},
		Phases: func(o Options) []Phase {
			return []Phase{{Name: "breaking", For: o.For, Rate: float64(o.Rate), AtOnce: 256, Faults: ofEachKind(o.Seed, o.Faults, o.Longest)}}
		},
		Settle: allApplied,
		// Those who left come first: what is left to do for them tells others, too.
		Checks: append(erased(func() []*leaver { return leavers }),
			kept(load.Join, "waitlist", joined),
			kept(load.Approve, "waitlist", approved),
			kept(ticket, "support", "SELECT idempotency_key FROM tickets WHERE idempotency_key NOT LIKE '"+leaverTicket+"%'"),
			kept(spend, "billing", "SELECT key FROM credit_keys"),
			kept(signIn, "identity", "SELECT email FROM users WHERE email LIKE 'newcomer-%'"),
			none("a spend takes once", `SELECT a.user_id || ' has ' || balance FROM credit_accounts a
				WHERE balance <> (SELECT sum(amount) FROM credit_entries e WHERE e.user_id = a.user_id)
				OR balance <> CASE WHEN EXISTS (SELECT FROM account_states s WHERE s.user_id = a.user_id AND s.state = 'erased') THEN 0 ELSE
				(SELECT sum(amount) FROM credit_grants g WHERE g.user_id = a.user_id) - (SELECT count(*) FROM credit_keys k WHERE k.user_id = a.user_id) END`, ""),
			// The stack approves its tester at the start.
			Check{Name: "each approval is in the audit log once", Look: kept(load.Approve, "identity",
				"SELECT subject_label FROM audit_log WHERE action = 'waitlist.approved' AND subject_label <> '"+stack.TesterEmail+"'").Look},
			Check{Name: "no event is given up", Look: deadLetters},
			oneEmail,
			Check{Name: "devices are still signed in", Look: all.stillSignedIn},
			each("no answer is one that no fault excuses", []string{"breaking"}, func(_ *Run, s load.Sample) string {
				if s.Wrong == 0 {
					return ""
				}
				return fmt.Sprint(s.Wrong, " are: ", s.Amiss)
			}),
			within(servesAfter, 3*time.Second), within(publishedAfter, 10*time.Second),
			within(wholeAfter, time.Minute), within(settledAfter, 30*time.Second),
		),
	}
}

// kinds is how many kinds of faults there are; a plan of as many has each.
var kinds = len(deal(rand.New(rand.NewPCG(0, 0))))

// ofEachKind plans n faults, each at most longest. Every kind comes up before one comes
// up again. The same seed plans the same.
func ofEachKind(seed uint64, n int, longest time.Duration) (plan []Fault) {
	random := rand.New(rand.NewPCG(seed, 3))
	for len(plan) < n {
		dealt := deal(random)
		random.Shuffle(len(dealt), func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
		plan = append(plan, dealt...)
	}
	plan = plan[:n]
	for i := range plan {
		plan[i].At = (float64(i) + random.Float64()) / float64(n)
		plan[i].Down = time.Duration(random.Int64N(int64(longest)))
	}
	return plan
}

// deal returns a fault of each kind.
func deal(random *rand.Rand) []Fault {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	service := func() string { return pick(services.Names()...) }
	instance := func() string { return pick(twofold()...) }
	both := pick(append(services.Names(), "gateway")...)
	servers := slices.Clone(natsServers)
	random.Shuffle(len(servers), func(i, j int) { servers[i], servers[j] = servers[j], servers[i] })
	return []Fault{
		{Act: Kill, Parts: []string{instance()}},
		{Act: Kill, Parts: []string{instance()}},
		{Act: Kill, Parts: []string{both, both + "-2"}},
		{Act: Kill, Parts: []string{"postgres"}},
		{Act: Kill, Parts: []string{"kratos"}},
		{Act: Kill, Parts: []string{pick(natsServers...)}, Meanwhile: published},
		{Act: Kill, Parts: servers[:2], Meanwhile: acknowledged},
		{Act: Pause, Parts: []string{pick(natsServers...)}, Meanwhile: published},
		{Act: Pause, Parts: []string{instance()}},
		{Act: Pause, Parts: []string{"postgres"}},
		{Act: Wipe, Parts: natsServers, Then: refilled},
		{Act: Cut, Parts: []string{service(), pick("postgres", "nats")}},
		{Act: Refuse, Parts: []string{service(), pick("postgres", "nats")}},
		{Act: Blackhole, Parts: []string{service(), pick("postgres", "nats")}},
		{Act: Cut, Parts: []string{"gateway", service()}},
		{Act: Blackhole, Parts: []string{"gateway", service()}},
	}
}

// published waits until the waitlist, where people are approved all the time, has published
// an event that is younger than the fault.
func published(ctx context.Context, r *Run, since time.Time) error {
	err := until(ctx, "events are published", func() (bool, error) {
		n, err := r.databases.number(ctx, "waitlist", `SELECT count(*) FROM outbox WHERE "time" > $1 AND stream_seq IS NOT NULL`, since)
		return n > 0, err
	})
	r.took(publishedAfter, time.Since(since))
	return err
}

// acknowledged waits for a write, which needs a database alone.
func acknowledged(ctx context.Context, r *Run, _ time.Time) error {
	writes := func() int {
		return r.ledger.Acked(load.Join).Len() + r.ledger.Acked(spend).Len() + r.ledger.Acked(ticket).Len()
	}
	before := writes()
	err := until(ctx, "a write is acknowledged without NATS", func() (bool, error) { return writes() > before, nil })
	r.count(withoutNATS, writes()-before)
	return err
}

// refilled waits until every service has a stream that is younger than the servers' start,
// with all that came before.
func refilled(ctx context.Context, r *Run, since time.Time) error {
	for _, service := range services.Names() {
		err := until(ctx, "the stream of "+service+" is whole again", func() (bool, error) {
			n, err := r.databases.number(ctx, service, `SELECT count(*) FROM outbox_stream WHERE created > $1
				AND NOT EXISTS (SELECT FROM outbox WHERE "time" < $1 AND stream_seq IS NULL)`, since)
			return n > 0, err
		})
		if err != nil {
			return err
		}
	}
	r.took(wholeAfter, time.Since(since))
	return nil
}

func deadLetters(ctx context.Context, r *Run) (_ string, problems []string, err error) {
	for _, service := range services.Names() {
		dead, err := r.databases.column(ctx, service, "SELECT $1 || ': ' || type || ' ' || reason FROM dead_letter", service)
		if err != nil {
			return "", nil, err
		}
		problems = append(problems, dead...)
	}
	return "", problems, nil
}
