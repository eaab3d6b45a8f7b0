package chaos

import (
	"context"
	"fmt"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
)

const manyUnderWay = 1000

// rolling restarts every stateless process in turn, as an upgrade does.
func rolling() Scenario {
	phases := []string{"calm", "rolling"}
	var site *load.Site
	return Scenario{
		Name:     "rolling",
		About:    "both replicas of the gateway and of each service are restarted in turn; no request fails",
		Defaults: Options{Faults: 240, Rate: 200, For: 10 * time.Minute},
		World: func(_ context.Context, _ *Run, product *stack.Options) error {
			// How long a process that was asked to end still takes requests, and tells callers to
			// come back on another connection. An ingress may need longer to notice.
			const short = "DRAIN_DELAY=1s"
			product.Replicas, product.Settings = stack.ReplicasOfAll(2), map[string][]string{"gateway": append(stacktest.NoLimits(), short)}
			for _, service := range services.Names() {
				product.Settings[service] = []string{short}
			}
			return nil
		},
		Gather: func(ctx context.Context, r *Run) (mix load.Mix, err error) {
			site, err = load.Open(ctx, r.product.URLs().Site, stack.AdminEmail, load.ByWayOf(""))
			return site.Visitors("rolling", true), err
		},
		Phases: func(o Options) []Phase {
			return []Phase{
				{Name: phases[0], For: 20 * time.Second, Rate: float64(o.Rate), AtOnce: manyUnderWay},
				{Name: phases[1], For: o.For, Rate: float64(o.Rate), AtOnce: manyUnderWay, Faults: inTurn(o.Faults)},
			}
		},
		Settle: allApplied,
		Checks: []Check{
			each("no request fails", phases, func(_ *Run, s load.Sample) string {
				if s.Sound() {
					return ""
				}
				return fmt.Sprint(s, s.Examples)
			}),
			kept(load.Join, "waitlist", joined), kept(load.Approve, "waitlist", approved),
			{Name: "one email for each approval", Look: func(ctx context.Context, r *Run) (figure string, problems []string, err error) {
				if figure, err = site.Verify(ctx, r.ledger, "rolling", r.product.URLs().Mail); err != nil {
					problems = []string{err.Error()}
				}
				return figure, problems, nil
			}},
		},
	}
}

// inTurn restarts one process after the other, evenly. The last is back before the end.
func inTurn(n int) (plan []Fault) {
	for i := range n {
		instance := twofold()[i%len(twofold())]
		plan = append(plan, Fault{At: float64(i+1) / float64(n+1), Act: Restart, Parts: []string{instance}})
	}
	return plan
}

// Rows for [kept].
const (
	joined   = "SELECT email FROM waitlist_users WHERE source = 'hero_section'"
	approved = "SELECT email FROM waitlist_users WHERE status = 'approved' AND source = 'hero_section'"
)
