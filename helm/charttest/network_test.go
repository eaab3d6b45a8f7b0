package charttest

import (
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// place is something that may open connections or take them: a pod, or an address
// outside the cluster.
type place struct {
	namespace string
	labels    labels.Set
	address   netip.Addr
	ports     []int32
}

// isPod reports whether the place is in the cluster.
func (p place) isPod() bool { return p.namespace != "" }

// podAddress is where pods are: a block of addresses that holds it holds them all.
var podAddress = netip.MustParseAddr("10.244.0.9")

// outside are places that are not the release's.
var outside = map[string]place{
	"ingress controller": {address: podAddress, namespace: "traefik", labels: labels.Set{"app": "traefik"}},
	"prometheus":         {address: podAddress, namespace: "monitoring", labels: labels.Set{"app": "prometheus"}},
	"collector":          {address: podAddress, namespace: "observability", labels: labels.Set{"app": "collector"}, ports: []int32{4317}},
	"dns":                {address: podAddress, namespace: "kube-system", labels: labels.Set{"k8s-app": "kube-dns"}, ports: []int32{53}},
	"neighbour":          {address: podAddress, namespace: namespace, labels: labels.Set{"app": "stranger"}, ports: []int32{80, 443, 5432}},
	"stranger":           {address: podAddress, namespace: "elsewhere", labels: labels.Set{"app.kubernetes.io/name": "fledge", "app.kubernetes.io/instance": releaseName}, ports: []int32{80, 443, 5432}},
	"private network":    {address: netip.MustParseAddr("10.9.8.7"), ports: []int32{22, 80, 443, 587, 4222, 5432}},
	"internet":           {address: netip.MustParseAddr("203.0.113.7"), ports: []int32{22, 80, 443, 587, 4222, 5432}},
	"internet over IPv6": {address: netip.MustParseAddr("2001:db8::7"), ports: []int32{22, 80, 443, 587, 4222, 5432}},
	"metadata service":   {address: netip.MustParseAddr("169.254.169.254"), ports: []int32{80, 443}},
}

// TestWhoMayReachWhom computes from the policies every connection that they allow,
// and holds it against the listed ones.
func TestWhoMayReachWhom(t *testing.T) {
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		t.Run(set, func(t *testing.T) {
			objects := render(t, set)
			places := maps.Clone(outside)
			for _, o := range objects {
				if pods := o.pods(); pods != nil {
					p := place{namespace: namespace, labels: pods.Labels, address: podAddress}
					for _, c := range pods.Spec.Containers {
						for _, port := range c.Ports {
							p.ports = append(p.ports, port.ContainerPort)
						}
					}
					places[o.component()] = p
				}
			}
			got := allowed(of[*networkingv1.NetworkPolicy](objects), places)
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

// allowed lists "from -> to:port" for all that the policies let through, between pods
// of the release and all places. What strangers do among themselves is theirs.
func allowed(policies map[string]*networkingv1.NetworkPolicy, places map[string]place) []string {
	var pairs []string
	for from, a := range places {
		for to, b := range places {
			if _, foreign := outside[from]; foreign {
				if _, foreign := outside[to]; foreign {
					continue
				}
			}
			for _, port := range b.ports {
				if leaves(policies, a, b, port) && enters(policies, a, b, port) {
					pairs = append(pairs, fmt.Sprintf("%s -> %s:%d", from, to, port))
				}
			}
		}
	}
	slices.Sort(pairs)
	return slices.Compact(pairs)
}

func leaves(policies map[string]*networkingv1.NetworkPolicy, a, b place, port int32) bool {
	selected := false
	for _, policy := range policies {
		if !selects(policy, a, networkingv1.PolicyTypeEgress) {
			continue
		}
		selected = true
		for _, rule := range policy.Spec.Egress {
			if onPort(rule.Ports, port) && isPeer(rule.To, b, policy.Namespace) {
				return true
			}
		}
	}
	return !selected
}

func enters(policies map[string]*networkingv1.NetworkPolicy, a, b place, port int32) bool {
	selected := false
	for _, policy := range policies {
		if !selects(policy, b, networkingv1.PolicyTypeIngress) {
			continue
		}
		selected = true
		for _, rule := range policy.Spec.Ingress {
			if onPort(rule.Ports, port) && isPeer(rule.From, a, policy.Namespace) {
				return true
			}
		}
	}
	return !selected
}

func selects(policy *networkingv1.NetworkPolicy, p place, direction networkingv1.PolicyType) bool {
	return p.namespace == policy.Namespace && slices.Contains(policy.Spec.PolicyTypes, direction) &&
		matches(&policy.Spec.PodSelector, p.labels)
}

func onPort(ports []networkingv1.NetworkPolicyPort, port int32) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntVal == port })
}

// isPeer reports whether a place is among peers; none listed means anybody.
func isPeer(peers []networkingv1.NetworkPolicyPeer, p place, own string) bool {
	if len(peers) == 0 {
		return true
	}
	return slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.IPBlock != nil {
			inside := func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(p.address) }
			return inside(peer.IPBlock.CIDR) && !slices.ContainsFunc(peer.IPBlock.Except, inside)
		}
		if !p.isPod() {
			return false
		}
		inNamespace := p.namespace == own
		if peer.NamespaceSelector != nil {
			inNamespace = matches(peer.NamespaceSelector, labels.Set{"kubernetes.io/metadata.name": p.namespace})
		}
		return inNamespace && (peer.PodSelector == nil || matches(peer.PodSelector, p.labels))
	})
}

func matches(selector *metav1.LabelSelector, set labels.Set) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		panic(err)
	}
	return parsed.Matches(set)
}
