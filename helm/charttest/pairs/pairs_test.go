package pairs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"fledge.dev/services/platform/errtest"
)

// fakeCluster stands in for kubectl: a gateway that may call billing, and a job that may
// call nothing. Its addresses decide which connections open, whatever its policies say.
type fakeCluster struct {
	mu sync.Mutex
	// open is "who address", for a pod of the cluster or one that was made.
	open map[string]bool
	// asked are the addresses that a pod was told to try.
	asked map[string][]string
	made  map[string]corev1.Pod
	// container is the name of the probe.
	container string
}

func labelsOf(component string) map[string]string {
	return map[string]string{instanceLabel: "fledge", componentLabel: component}
}

func podOf(component, address string, port int32) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: component, Namespace: "shop", Labels: labelsOf(component)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{ContainerPort: port}}}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, PodIP: address},
	}
}

func policyOf(component string, spec networkingv1.NetworkPolicySpec) networkingv1.NetworkPolicy {
	spec.PodSelector.MatchLabels = labelsOf(component)
	spec.PolicyTypes = []networkingv1.PolicyType{"Ingress", "Egress"}
	return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: component, Namespace: "shop"}, Spec: spec}
}

func (c *fakeCluster) kubectl(_ context.Context, stdin []byte, args ...string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := strings.Join(args, " ")
	peers := func(component string) []networkingv1.NetworkPolicyPeer {
		return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: labelsOf(component)}}}
	}
	port := intstr.FromInt32(9000)
	ports := []networkingv1.NetworkPolicyPort{{Port: &port}}
	switch {
	case strings.Contains(line, "networkpolicies"):
		return json.Marshal(networkingv1.NetworkPolicyList{Items: []networkingv1.NetworkPolicy{
			policyOf("gateway", networkingv1.NetworkPolicySpec{Egress: []networkingv1.NetworkPolicyEgressRule{{Ports: ports, To: peers("billing")}}}),
			policyOf("billing", networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: ports, From: peers("gateway")}}}),
			policyOf("migrate", networkingv1.NetworkPolicySpec{}),
		}})
	case strings.Contains(line, "get -o json pods -n shop"):
		return json.Marshal(corev1.PodList{Items: []corev1.Pod{podOf("gateway", "10.0.0.1", 8080), podOf("billing", "10.0.0.2", 9000)}})
	case strings.Contains(line, "kube-dns"):
		return json.Marshal(corev1.PodList{})
	case strings.Contains(line, "endpointslices"):
		api := int32(6443)
		return json.Marshal(discoveryv1.EndpointSliceList{Items: []discoveryv1.EndpointSlice{{
			Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.1.0.1"}}}, Ports: []discoveryv1.EndpointPort{{Port: &api}},
		}}})
	case args[0] == "debug":
		c.asked[args[3]], c.container = args[slices.Index(args, "--")+1:], args[slices.Index(args, "-c")+1]
	case args[0] == "apply":
		var pod corev1.Pod
		if err := json.Unmarshal(stdin, &pod); err != nil {
			return nil, err
		}
		c.container = pod.Spec.Containers[0].Name
		c.made[pod.Name], c.asked[pod.Name] = pod, pod.Spec.Containers[0].Args[2:] // after -settle
	case strings.Contains(line, "get -o json pod "):
		return json.Marshal(corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: c.container, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
		}}}})
	case args[0] == "logs":
		var out strings.Builder
		for _, address := range c.asked[args[3]] {
			word := "closed"
			if c.open[roleOf(args[3])+" "+address] {
				word = "open"
			}
			_, _ = fmt.Fprintln(&out, word, address, "timed out")
		}
		return []byte(out.String()), nil
	case args[0] == "delete":
		delete(c.made, args[4])
	}
	return nil, nil
}

// roleOf is the last word of a made pod's name.
func roleOf(pod string) string { return pod[strings.LastIndex(pod, "-")+1:] }

func TestWhatIsNotAsThePoliciesSayIsTold(t *testing.T) {
	right := map[string]bool{"gateway 10.0.0.1:8080": true, "billing 10.0.0.2:9000": true, "gateway 10.0.0.2:9000": true}
	with := func(also string) map[string]bool {
		open := maps.Clone(right)
		open[also] = true
		return open
	}
	without := func(one string) map[string]bool {
		open := maps.Clone(right)
		delete(open, one)
		return open
	}
	for name, tc := range map[string]struct {
		open map[string]bool
		want []string
	}{
		"all is right":                   {right, nil},
		"an allowed pair is closed":      {without("gateway 10.0.0.2:9000"), []string{"closed, but allowed: gateway -> billing:9000"}},
		"a denied pair is open":          {with("billing 10.0.0.1:8080"), []string{"open, but denied: billing -> gateway:8080"}},
		"a job reaches a service":        {with("migrate 10.0.0.2:9000"), []string{"open, but denied: migrate -> billing:9000"}},
		"a neighbour reaches a service":  {with("neighbour 10.0.0.2:9000"), []string{"open, but denied: neighbour -> billing:9000"}},
		"another namespace's gateway":    {with("stranger 10.0.0.2:9000"), []string{"open, but denied: stranger -> billing:9000"}},
		"a pod reaches the API server":   {with("billing 10.1.0.1:6443"), []string{"open, but denied: billing -> api server:6443"}},
		"nobody listens, so none proves": {without("gateway 10.0.0.1:8080"), []string{"nothing listens: gateway:8080, asked from inside the pod"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &fakeCluster{open: tc.open, asked: map[string][]string{}, made: map[string]corev1.Pod{}}
			report, err := Release{Name: "fledge", Namespace: "shop", Elsewhere: "default", Image: "probe", Kubectl: c.kubectl}.Try(t.Context())
			errtest.None(t, err)
			if !slices.Equal(report.Wrong, tc.want) {
				t.Errorf("wrong: %q, want %q", report.Wrong, tc.want)
			}
			if all := len(report.Open) + len(report.Closed); len(tc.want) == 0 && (all != 11 || len(report.Open) != 1) {
				t.Errorf("%d pairs tried, open %v", all, report.Open)
			}
			if len(c.made) > 0 {
				t.Errorf("pods are left: %v", slices.Collect(maps.Keys(c.made)))
			}
		})
	}
}
