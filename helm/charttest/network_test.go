package charttest

import (
	"fmt"
	"maps"
	"net/netip"
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
			isGolden(t, "testdata/network/"+set+".txt", strings.Join(got, "\n")+"\n")
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

// reaches are the ports and networks that a workload may open connections to, as "TCP/443 10.0.0.0/8".
func reaches(objects []object, workload string) []string {
	var found []string
	for _, rule := range of[*networkingv1.NetworkPolicy](objects)["fledge-"+workload].Spec.Egress {
		for _, port := range rule.Ports {
			if len(rule.To) == 0 {
				found = append(found, fmt.Sprintf("%s/%d everybody", *port.Protocol, port.Port.IntVal))
			}
			for _, peer := range rule.To {
				if peer.IPBlock != nil {
					found = append(found, fmt.Sprintf("%s/%d %s", *port.Protocol, port.Port.IntVal, peer.IPBlock.CIDR))
				}
			}
		}
	}
	return found
}

// TestAPolicyOpensThePortThatIsCalled: a program takes it from an address, and where that names none, its protocol's own.
func TestAPolicyOpensThePortThatIsCalled(t *testing.T) {
	for _, tc := range []struct{ values, workload, peer, want string }{
		{"proxy: {url: %s}", "billing", "proxy", "http://10.1.2.3 80, https://10.1.2.3 443, http://10.1.2.3:3128 3128, http://p2 80, 'http://[fd00::3]:3128' 3128, 'http://[fd00::3]' 80"},
		{"otlp: {endpoint: %s}", "waitlist", "otlp", "http://collector:4317 4317, http://col2 443, https://otlp.example.com 443, https://10.1.2.3:4318 4318, 'http://[fd00::3]:4317' 4317"},
		{"nats: {url: %s}", "waitlist", "nats", "tls://nats.example:4443 4443, tls://n1 4222, 'tls://n1:4001,tls://n2:4002' 4002, 'tls://n1:4001,tls://n2' 4001, 'nats://[fd00::3]' 4222"},
		{"mail: {smtpAddr: %s}", "waitlist", "smtp", "'[fd00::3]:2587' 2587, smtp2:465 465"},
		{"mail: {in: {imapAddr: %s}}", "support", "imap", "'[fd00::3]:1993' 1993, imap2:143 143"},
	} {
		for pair := range strings.SplitSeq(tc.want, ", ") {
			address, port, _ := strings.Cut(pair, " ")
			values := fmt.Sprintf(tc.values, address) + "\nnetworkPolicy: {peers: {" + tc.peer + ": [{ipBlock: {cidr: 192.0.2.7/32}}]}}"
			got := reaches(with(t, values), tc.workload)
			if want := "TCP/" + port + " 192.0.2.7/32"; !slices.Contains(got, want) {
				t.Errorf("%s: %s does not reach %s: %v", values, tc.workload, want, got)
			}
		}
	}
}

// TestHostsThatNeedNoProxyAreReached as without one; where all are called through it, nothing else is.
func TestHostsThatNeedNoProxyAreReached(t *testing.T) {
	const peers = "\nnetworkPolicy: {ports: {https: [8443]}, peers: {proxy: [{ipBlock: {cidr: 192.0.2.7/32}}], https: [{ipBlock: {cidr: 10.0.0.0/8}}]}}"
	for values, direct := range map[string]bool{
		`proxy: {url: "http://proxy:3128", noProxy: [.corp]}`: true,
		`proxy: {url: "http://proxy:3128"}`:                   false,
	} {
		objects := with(t, values+peers)
		for _, workload := range []string{"billing", "kratos", "support"} {
			got := reaches(objects, workload)
			if !slices.Contains(got, "TCP/3128 192.0.2.7/32") || slices.Contains(got, "TCP/8443 10.0.0.0/8") != direct {
				t.Errorf("%s: %s reaches %v", values, workload, got)
			}
		}
	}
}

// TestNobodyIsNotEverybody: Kubernetes takes a rule without peers for one that allows all of them.
func TestNobodyIsNotEverybody(t *testing.T) {
	for _, peer := range []string{"smtp", "https", "imap", "postgres", "nats", "dns"} {
		for _, empty := range []string{"[]", "null"} {
			objects := with(t, "networkPolicy: {peers: {"+peer+": "+empty+"}}")
			for _, workload := range []string{"support", "identity", "kratos", "migrate"} {
				for _, open := range reaches(objects, workload) {
					if strings.HasSuffix(open, "everybody") {
						t.Errorf("%s: %s: %s may reach %s", peer, empty, workload, open)
					}
				}
				if reached := reaches(objects, workload); len(reached) == 0 && workload != "migrate" { // whose only peer is PostgreSQL
					t.Errorf("%s: %s: %s reaches nothing", peer, empty, workload)
				}
			}
		}
	}
}

// TestAMeshHasAPortOfItsOwn between pods that may call each other, whatever port, and between no others.
func TestAMeshHasAPortOfItsOwn(t *testing.T) {
	const port = 4143
	values := fmt.Sprintf("networkPolicy: {ports: {mesh: [%d]}}\nservices:\n", port)
	for name := range programs() {
		values += fmt.Sprintf("  %s: {extraContainers: [{name: proxy, image: proxy, ports: [{containerPort: %d}]}]}\n", name, port)
	}
	pairs, called := pairsOf(with(t, values)), map[network.Pair]bool{}
	for pair, open := range pairs {
		if pair.Port != port && open {
			called[network.Pair{From: pair.From, To: pair.To, Port: port}] = true
		}
	}
	tried := 0
	for pair, open := range pairs {
		if pair.Port == port {
			tried++
			if open != called[pair] {
				t.Errorf("%s: open is %t", pair, open)
			}
		}
	}
	if tried == 0 || !called[network.Pair{From: "gateway", To: "identity", Port: port}] || called[network.Pair{From: "web", To: "identity", Port: port}] {
		t.Errorf("of %d pairs, these call each other: %v", tried, called)
	}
}

// TestAMeshLeadsToItsOtherPods, such as those of PostgreSQL, and to nothing that is named by an address.
func TestAMeshLeadsToItsOtherPods(t *testing.T) {
	policies := of[*networkingv1.NetworkPolicy](with(t, `networkPolicy: {ports: {mesh: [15008]}, peers: {postgres: [{podSelector: {matchLabels: {app: pg}}}, {ipBlock: {cidr: 192.0.2.5/32}}], nats: [{ipBlock: {cidr: 192.0.2.7/32}}]}}`))
	for _, name := range []string{"billing", "kratos", "kratos-cleanup", "migrate", "migrate-first"} {
		got := map[string]bool{}
		for _, rule := range policies["fledge-"+name].Spec.Egress {
			for _, peer := range rule.To {
				for _, port := range rule.Ports {
					switch {
					case peer.IPBlock != nil:
						got[fmt.Sprintf("%s %d", peer.IPBlock.CIDR, port.Port.IntVal)] = true
					case peer.PodSelector != nil && peer.PodSelector.MatchLabels["app"] == "pg":
						got[fmt.Sprintf("pg %d", port.Port.IntVal)] = true
					}
				}
			}
		}
		for reached, want := range map[string]bool{"pg 5432": true, "pg 15008": true, "192.0.2.5/32 5432": true, "192.0.2.5/32 15008": false, "192.0.2.7/32 15008": false} {
			if got[reached] != want {
				t.Errorf("%s reaches %s: %t", name, reached, got[reached])
			}
		}
	}
}

// pairsOf are the pairs between the pods of the release and all places.
func pairsOf(objects []object) map[network.Pair]bool {
	places := map[string]network.Place{}
	for o, pods := range podsOf(objects) {
		p := network.Place{Name: o.component(), Namespace: namespace, Labels: pods.Labels, Address: podAddress}
		for _, c := range pods.Spec.Containers {
			for _, port := range c.Ports {
				p.Ports = append(p.Ports, port.ContainerPort)
			}
		}
		places[p.Name] = p
	}
	all := slices.Collect(maps.Values(places))
	for _, p := range outside {
		p.Foreign = true
		all = append(all, p)
	}
	policies := slices.Collect(maps.Values(of[*networkingv1.NetworkPolicy](objects)))
	return network.Policies(policies).Pairs(all)
}
