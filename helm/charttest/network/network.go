// Package network computes the connections that NetworkPolicies allow, by the rules of
// networking.k8s.io/v1. It supports only numeric TCP ports.
package network

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Place may open or accept connections: a pod, or an address outside the cluster.
type Place struct {
	Name string
	// Namespace is empty for anything but a pod.
	Namespace string
	Labels    labels.Set
	Address   netip.Addr
	Ports     []int32
	// Foreign places are not part of the release. Connections among them are ignored.
	Foreign bool
}

// Pair is a possible connection.
type Pair struct {
	From, To string
	Port     int32
}

// String is a line of the listed tables: "gateway -> billing:9000".
func (p Pair) String() string { return fmt.Sprintf("%s -> %s:%d", p.From, p.To, p.Port) }

// Compare orders pairs as their lines are ordered.
func (p Pair) Compare(q Pair) int { return cmp.Compare(p.String(), q.String()) }

// Policies are those of a namespace or of several.
type Policies []*networkingv1.NetworkPolicy

// Pairs returns all possible connections between the places, and whether the policies
// allow each.
func (ps Policies) Pairs(places []Place) map[Pair]bool {
	pairs := map[Pair]bool{}
	for _, from := range places {
		for _, to := range places {
			if from.Foreign && to.Foreign {
				continue
			}
			for _, port := range to.Ports {
				pairs[Pair{from.Name, to.Name, port}] = ps.leaves(from, to, port) && ps.enters(from, to, port)
			}
		}
	}
	return pairs
}

// Allowed returns the allowed pairs, sorted.
func Allowed(pairs map[Pair]bool) []Pair {
	var allowed []Pair
	for pair, open := range pairs {
		if open {
			allowed = append(allowed, pair)
		}
	}
	slices.SortFunc(allowed, Pair.Compare)
	return allowed
}

func (ps Policies) leaves(a, b Place, port int32) bool {
	selected := false
	for _, policy := range ps {
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

func (ps Policies) enters(a, b Place, port int32) bool {
	selected := false
	for _, policy := range ps {
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

func selects(policy *networkingv1.NetworkPolicy, p Place, direction networkingv1.PolicyType) bool {
	return p.Namespace == policy.Namespace && slices.Contains(policy.Spec.PolicyTypes, direction) &&
		matches(&policy.Spec.PodSelector, p.Labels)
}

func onPort(ports []networkingv1.NetworkPolicyPort, port int32) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntVal == port })
}

// isPeer reports whether a place is among peers; none listed means anybody.
func isPeer(peers []networkingv1.NetworkPolicyPeer, p Place, own string) bool {
	if len(peers) == 0 {
		return true
	}
	return slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.IPBlock != nil {
			inside := func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(p.Address) }
			return inside(peer.IPBlock.CIDR) && !slices.ContainsFunc(peer.IPBlock.Except, inside)
		}
		if p.Namespace == "" {
			return false
		}
		inNamespace := p.Namespace == own
		if peer.NamespaceSelector != nil {
			inNamespace = matches(peer.NamespaceSelector, labels.Set{"kubernetes.io/metadata.name": p.Namespace})
		}
		return inNamespace && (peer.PodSelector == nil || matches(peer.PodSelector, p.Labels))
	})
}

func matches(selector *metav1.LabelSelector, set labels.Set) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		panic(err)
	}
	return parsed.Matches(set)
}
