package chaos

import (
	"context"
	"fmt"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
)

const (
	// told is how soon every request has an answer while PostgreSQL is frozen.
	told = time.Second
	// frozenAfter is how long the load goes on before: the server stops in the middle of it.
	frozenAfter = time.Second
	// recovery is the time until all is well again.
	recovery = 5 * time.Second
	// slowest is how many seconds answers may take while there are still slots for
	// others. More would only be more goroutines of the gateway.
	slowest = 2
)

// stall freezes PostgreSQL, as a machine that has run out of disk or memory does.
func stall() Scenario {
	phases := []string{"before", "frozen", "back", "after"}
	p := &programs{}
	return Scenario{
		Name:     "stall",
		About:    "PostgreSQL is frozen; requests are refused at once, nothing piles up and every connection comes back",
		Defaults: Options{Rate: 100, For: time.Minute},
		World: func(_ context.Context, _ *Run, product *stack.Options) error {
			product.Settings = withInFlightLimit(gatewayInFlight)
			return nil
		},
		Gather: func(ctx context.Context, r *Run) (load.Mix, error) {
			// Each needs its service's database, but for the downloads, which are remembered.
			return signUpsAndReads(ctx, r, "/api/get-waitlist-users?limit=10", "/api/get-credit-balance", "/api/get-latest-downloads",
				"/api/auth/user", "/api/get-plans", "/api/get-my-support-tickets", "/api/get-github-releases")
		},
		Phases: func(o Options) []Phase {
			send := func(name string, lasts time.Duration) Phase {
				return Phase{Name: name, For: lasts, Rate: float64(o.Rate), AtOnce: slowest * o.Rate, Timeout: gone}
			}
			before, frozen := send(phases[0], 2*recovery), send(phases[1], frozenAfter+o.For)
			before.Then = p.begin
			frozen.Faults = []Fault{{At: float64(frozenAfter) / float64(frozen.For), Act: Pause, Parts: []string{"postgres"}, Down: o.For}}
			return []Phase{before, frozen, send(phases[2], recovery), send(phases[3], recovery)}
		},
		Settle: p.end,
		Checks: []Check{
			each("every request is done or refused", phases, doneOrRefused),
			each("PostgreSQL was away", phases[1:2], func(_ *Run, s load.Sample) string {
				if s.Refused.Answers == 0 {
					return "nothing was refused"
				}
				return ""
			}),
			kept(load.Join, "waitlist", joined),
			{Name: "no program piles up goroutines", Look: func(context.Context, *Run) (string, []string, error) { return "", p.piledUp(), nil }},
			{Name: "every connection and session comes back", Look: func(context.Context, *Run) (string, []string, error) { return "", p.notGivenBack(), nil }},
			timely(each("every answer comes within "+told.String(), phases[1:2], func(_ *Run, s load.Sample) string {
				if slowest := max(s.Good.Max, s.Refused.Max); slowest > told {
					return "the slowest took " + load.Short(slowest).String()
				}
				return ""
			})),
			timely(each("nothing is refused "+recovery.String()+" after PostgreSQL is back", phases[3:], func(_ *Run, s load.Sample) string {
				if s.Refused.Answers == 0 {
					return ""
				}
				return fmt.Sprintf("%d requests are", s.Refused.Answers)
			})),
		},
	}
}
