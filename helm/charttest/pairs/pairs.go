package pairs

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"fledge.dev/helm/charttest/network"
)

// Report is the result. All is well if Wrong is empty.
type Report struct {
	// Open pairs are allowed and connected; Closed ones are denied and did not.
	Open, Closed []network.Pair
	// Wrong has a line for each pair that differs from the policies, and for each port
	// on which nothing listens, because its pairs prove nothing.
	Wrong []string
	// Alone are components with one pod, which no pod of the same kind could try.
	Alone []string
}

// source is a pod from which connections are tried.
type source struct {
	network.Place
	// pod is a running pod, or empty: then a temporary one is made.
	pod string
	// targets by the tried address.
	targets map[netip.AddrPort]network.Pair
	// own are the pod's own ports, which no policy closes.
	own map[netip.AddrPort]network.Pair
}

// Try tries every possible connection.
func (r Release) Try(ctx context.Context) (Report, error) {
	c, err := r.look(ctx)
	if err != nil {
		return Report{}, err
	}
	sources, report := r.plan(c)
	if len(sources) == 0 || len(c.policies) == 0 {
		return Report{}, fmt.Errorf("no pods or no NetworkPolicies of release %q in namespace %q", r.Name, r.Namespace)
	}
	expected := c.policies.Pairs(places(c, sources))
	suffix := strconv.FormatInt(time.Now().Unix(), 36)
	opened := make([]map[netip.AddrPort]bool, len(sources))
	errs := make([]error, len(sources))
	var group sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, from := range sources {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			opened[i], errs[i] = r.probe(ctx, from, "probe-"+suffix)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return Report{}, err
	}
	for i, from := range sources {
		report.compare(from, opened[i], expected)
	}
	slices.SortFunc(report.Open, network.Pair.Compare)
	slices.SortFunc(report.Closed, network.Pair.Compare)
	slices.Sort(report.Wrong)
	return report, nil
}

// plan lists the sources: every component, an unrelated pod of its namespace, and a pod
// of another namespace that claims to be the gateway.
func (r Release) plan(c cluster) ([]source, Report) {
	var sources []source
	var report Report
	for _, w := range c.workloads {
		from := source{Place: w.Place}
		if len(w.pods) > 0 {
			from.pod = w.pods[0].Name
		}
		if len(w.pods) == 1 {
			report.Alone = append(report.Alone, w.Name)
		}
		sources = append(sources, from)
	}
	gateway := slices.IndexFunc(c.workloads, func(w workload) bool { return w.Name == "gateway" })
	sources = append(sources, source{Place: network.Place{Name: "neighbour", Namespace: r.Namespace, Foreign: true}})
	if gateway >= 0 {
		sources = append(sources, source{Place: network.Place{
			Name: "stranger", Namespace: r.Elsewhere, Foreign: true,
			Labels: c.policyLabels(c.workloads[gateway]),
		}})
	}
	for i := range sources {
		sources[i].aim(c)
	}
	return sources, report
}

// policyLabels are the labels that policies select by.
func (c cluster) policyLabels(w workload) map[string]string {
	for _, policy := range c.policies {
		if set := policy.Spec.PodSelector.MatchLabels; set[componentLabel] == w.Name {
			return set
		}
	}
	return w.Labels
}

// aim sets the targets: a pod of each workload, another one of its own.
func (s *source) aim(c cluster) {
	s.targets, s.own = map[netip.AddrPort]network.Pair{}, map[netip.AddrPort]network.Pair{}
	for _, w := range c.workloads {
		for _, pod := range w.pods {
			to := place(w.Name, pod)
			into := s.targets
			if pod.Name == s.pod {
				into = s.own
			}
			for _, port := range to.Ports {
				into[netip.AddrPortFrom(to.Address, uint16(port))] = network.Pair{From: s.Name, To: w.Name, Port: port}
			}
			if pod.Name != s.pod {
				break
			}
		}
	}
	if s.Foreign {
		return // what strangers do among themselves is theirs
	}
	for _, to := range c.foreign {
		for _, port := range to.Ports {
			s.targets[netip.AddrPortFrom(to.Address, uint16(port))] = network.Pair{From: s.Name, To: to.Name, Port: port}
		}
	}
}

func places(c cluster, sources []source) []network.Place {
	all := slices.Clone(c.foreign)
	for _, s := range sources {
		all = append(all, s.Place)
	}
	return all
}

// compare adds what a source could open and may not, and what it may open and could not.
func (report *Report) compare(from source, opened map[netip.AddrPort]bool, expected map[network.Pair]bool) {
	for address, pair := range from.own {
		if !opened[address] {
			report.Wrong = append(report.Wrong, fmt.Sprintf("nothing listens: %s:%d, asked from inside the pod", pair.To, pair.Port))
		}
	}
	for address, pair := range from.targets {
		switch {
		case opened[address] && !expected[pair]:
			report.Wrong = append(report.Wrong, "open, but denied: "+pair.String())
		case !opened[address] && expected[pair]:
			report.Wrong = append(report.Wrong, "closed, but allowed: "+pair.String())
		case opened[address]:
			report.Open = append(report.Open, pair)
		default:
			report.Closed = append(report.Closed, pair)
		}
	}
}
