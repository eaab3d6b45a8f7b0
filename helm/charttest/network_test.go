package charttest

import (
	"maps"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"fledge.dev/helm/charttest/network"
)

// podAddress stands for all pods: a CIDR block that contains it contains them all.
var podAddress = netip.MustParseAddr("10.244.0.9")

// outside are places that are not part of the release.
var outside = []network.Place{
	{Name: "ingress controller", Address: podAddress, Namespace: "traefik", Labels: labels.Set{"app": "traefik"}},
	{Name: "prometheus", Address: podAddress, Namespace: "monitoring", Labels: labels.Set{"app": "prometheus"}},
	{Name: "collector", Address: podAddress, Namespace: "observability", Labels: labels.Set{"app": "collector"}, Ports: []int32{4317}},
	{Name: "dns", Address: podAddress, Namespace: "kube-system", Labels: labels.Set{"k8s-app": "kube-dns"}, Ports: []int32{53}},
	{Name: "neighbour", Address: podAddress, Namespace: namespace, Labels: labels.Set{"app": "stranger"}, Ports: []int32{80, 443, 5432}},
	{Name: "stranger", Address: podAddress, Namespace: "elsewhere", Labels: labels.Set{"app.kubernetes.io/name": "fledge", "app.kubernetes.io/instance": releaseName}, Ports: []int32{80, 443, 5432}},
	{Name: "private network", Address: netip.MustParseAddr("10.9.8.7"), Ports: []int32{22, 80, 443, 587, 993, 4222, 5432}},
	{Name: "internet", Address: netip.MustParseAddr("203.0.113.7"), Ports: []int32{22, 80, 443, 587, 993, 4222, 5432}},
	{Name: "internet over IPv6", Address: netip.MustParseAddr("2001:db8::7"), Ports: []int32{22, 80, 443, 587, 993, 4222, 5432}},
	{Name: "metadata service", Address: netip.MustParseAddr("169.254.169.254"), Ports: []int32{80, 443}},
}

// TestWhoMayReachWhom computes every connection that the policies allow and compares it
// with the listed ones. cmd/pairs tries the same in a cluster.
func TestWhoMayReachWhom(t *testing.T) {
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		t.Run(set, func(t *testing.T) {
			var got []string
			for _, pair := range network.Allowed(pairsOf(render(t, set))) {
				got = append(got, pair.String())
			}
			golden := "testdata/network/" + set + ".txt"
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			listed, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Split(strings.TrimSpace(string(listed)), "\n")
			for _, pair := range got {
				if !slices.Contains(want, pair) {
					t.Errorf("open, but not listed: %s", pair)
				}
			}
			for _, pair := range want {
				if !slices.Contains(got, pair) {
					t.Errorf("listed, but closed: %s", pair)
				}
			}
		})
	}
}

// TestWebReachesTheGateway behind an ingress, too: /API/x and /%61pi/x miss its prefix /api and
// arrive at Caddy, which asks the gateway. Its answer is 404; without it people get 503.
func TestWebReachesTheGateway(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		pairs := pairsOf(objects)
		for _, pair := range []network.Pair{{From: "web", To: "gateway", Port: 8080}, {From: "web", To: "dns", Port: 53}} {
			if !pairs[pair] {
				t.Errorf("closed: %s", pair)
			}
		}
	})
}

// TestMigrationsReachTheirDatabaseBeforeTheRest: the Jobs of an upgrade run while the
// policies are still those of the previous version, which may name another database.
func TestMigrationsReachTheirDatabaseBeforeTheRest(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		policies := of[*networkingv1.NetworkPolicy](objects)
		lasting, early := policies["fledge-migrate"], policies["fledge-migrate-first"]
		if len(of[*batchv1.Job](objects)) == 0 {
			if lasting != nil || early != nil {
				t.Error("a policy for Jobs that are not there")
			}
			// The upgrade that turns them on runs them while these policies hold.
			admitted := func(rule networkingv1.NetworkPolicyIngressRule) bool {
				return slices.ContainsFunc(rule.From, func(p networkingv1.NetworkPolicyPeer) bool {
					return p.PodSelector.MatchLabels["app.kubernetes.io/component"] == "migrate"
				})
			}
			if !slices.ContainsFunc(policies["fledge-postgres"].Spec.Ingress, admitted) {
				t.Error("the database will not admit the Jobs of the next version")
			}
			return
		}
		if lasting == nil || early == nil || !reflect.DeepEqual(lasting.Spec, early.Spec) {
			t.Fatalf("%v is not %v", early, lasting)
		}
		if early.Annotations["helm.sh/hook"] != "pre-install,pre-upgrade" || early.Annotations["helm.sh/hook-weight"] != "-1" || len(lasting.Annotations) > 0 {
			t.Errorf("%v, and %v, do not come before the Jobs and stay", early.Annotations, lasting.Annotations)
		}
	})
}

// pairsOf are the pairs between the pods of the release and all places.
func pairsOf(objects []object) map[network.Pair]bool {
	places := map[string]network.Place{}
	for _, o := range objects {
		if pods := o.pods(); pods != nil {
			p := network.Place{Name: o.component(), Namespace: namespace, Labels: pods.Labels, Address: podAddress}
			for _, c := range pods.Spec.Containers {
				for _, port := range c.Ports {
					p.Ports = append(p.Ports, port.ContainerPort)
				}
			}
			places[p.Name] = p
		}
	}
	all := slices.Collect(maps.Values(places))
	for _, p := range outside {
		p.Foreign = true
		all = append(all, p)
	}
	policies := slices.Collect(maps.Values(of[*networkingv1.NetworkPolicy](objects)))
	return network.Policies(policies).Pairs(all)
}
