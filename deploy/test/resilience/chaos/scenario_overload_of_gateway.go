package chaos

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
)

const (
	// connections are more than the gateway takes requests at the same time.
	connections = 1000
	// clients are as many as keep the product busy and none waiting for long.
	clients = 64
	// gone is when people have.
	gone = 5 * time.Second
	// share is the part of the peak that has to be left under any load.
	share = 0.8
	// refusal is the p99 that refusals may have.
	refusal = 500 * time.Millisecond
)

// overload asks more of the gateway than it can do: as many requests as it answers, which is
// its peak, then once, twice and five times as many whatever it answers, and the first again.
func overload() Scenario {
	loads := []string{"1×", "2×", "5×", "after"}
	return Scenario{
		Name:     "overload",
		About:    "up to five times as many requests as the gateway can serve; it serves what it can and refuses the rest at once",
		Defaults: Options{For: 20 * time.Second, InFlight: gatewayInFlight},
		World: func(_ context.Context, r *Run, product *stack.Options) error {
			product.Settings = withInFlightLimit(r.opts.InFlight)
			return nil
		},
		Gather: func(ctx context.Context, r *Run) (load.Mix, error) {
			return signUpsAndReads(ctx, r, "/api/get-waitlist-users?limit=10", "/api/get-credit-balance", "/api/get-latest-downloads")
		},
		Phases: func(o Options) []Phase {
			phases := []Phase{
				{Name: "warm", For: o.For / 4, AtOnce: clients, Timeout: gone},
				{Name: peak, For: o.For, AtOnce: clients, Timeout: gone},
			}
			for i, times := range []float64{1, 2, 5} {
				phases = append(phases, Phase{Name: loads[i], For: o.For, OfPeak: times, AtOnce: connections, Timeout: gone})
			}
			return append(phases, Phase{Name: loads[3], For: o.For / 2, AtOnce: clients, Timeout: gone})
		},
		Checks: []Check{
			each(fmt.Sprintf("at least %.0f %% of the peak is answered", 100*share), loads, func(r *Run, s load.Sample) string {
				if part := s.Goodput() / r.sample(peak).Goodput(); part < share {
					return fmt.Sprintf("%.0f %% of the peak is left", 100*part)
				}
				return ""
			}),
			each(fmt.Sprintf("p99 of refusals is at most %s", refusal), loads, func(_ *Run, s load.Sample) string {
				if s.Refused.P99 > refusal {
					return "a refusal takes " + load.Short(s.Refused.P99).String()
				}
				return ""
			}),
			each("everything else is refused", loads, doneOrRefused),
		},
	}
}

func doneOrRefused(_ *Run, s load.Sample) string {
	if s.Bad() == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests were neither done nor refused: %s", s.Bad(), strings.Join(s.Examples, "; "))
}

// gatewayInFlight is the gateway's default.
const gatewayInFlight = 512

// withInFlightLimit are settings with a cap of requests in progress. All the load comes from one
// address, so the limits for each client are out of its reach.
func withInFlightLimit(inFlight int) map[string][]string {
	return map[string][]string{"gateway": append(stacktest.NoLimits(), fmt.Sprint("MAX_IN_FLIGHT=", inFlight))}
}

// signUpsAndReads are a visitor's sign-up and the admin's read of one of the paths, in
// turn, past the front door.
func signUpsAndReads(ctx context.Context, r *Run, paths ...string) (load.Mix, error) {
	site := r.product.URLs().Site
	admin := person.New(site)
	err := admin.SignIn(ctx, stack.AdminEmail)
	return load.Direct(strings.TrimPrefix(r.product.GatewayURL(), "http://"), site).SignUpsAndReads(admin, paths...), err
}
