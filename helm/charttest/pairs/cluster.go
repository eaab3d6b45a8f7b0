// Package pairs tries every connection between the workloads of a release in a cluster
// and compares the results with the NetworkPolicies.
package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"fledge.dev/helm/charttest/network"
)

const (
	instanceLabel  = "app.kubernetes.io/instance"
	componentLabel = "app.kubernetes.io/component"
)

// Release names an installation of the chart in a cluster.
type Release struct {
	Name, Namespace string
	// Elsewhere is another namespace, from which an unrelated pod tries to connect.
	Elsewhere string
	// Image is that of deploy/cluster/cmd/probe.
	Image string
	// Kubectl runs kubectl in the cluster and returns what it prints.
	Kubectl func(ctx context.Context, stdin []byte, args ...string) ([]byte, error)
}

// workload is a component and its running pods.
type workload struct {
	network.Place
	pods []corev1.Pod
}

// cluster describes the release.
type cluster struct {
	workloads []workload
	// foreign places belong to the cluster; connections to them are tried.
	foreign  []network.Place
	policies network.Policies
}

// look reads the release. Components without a running pod, such as jobs, are known by
// their policies.
func (r Release) look(ctx context.Context) (cluster, error) {
	var policies networkingv1.NetworkPolicyList
	var pods, dns corev1.PodList
	var api discoveryv1.EndpointSliceList
	err := errors.Join(
		r.get(ctx, &policies, "networkpolicies", "-n", r.Namespace),
		r.get(ctx, &pods, "pods", "-n", r.Namespace, "-l", instanceLabel+"="+r.Name),
		r.get(ctx, &dns, "pods", "-n", "kube-system", "-l", "k8s-app=kube-dns"),
		r.get(ctx, &api, "endpointslices", "-n", "default", "-l", discoveryv1.LabelServiceName+"=kubernetes"),
	)
	if err != nil {
		return cluster{}, err
	}
	found := map[string]workload{}
	for _, policy := range policies.Items {
		set := policy.Spec.PodSelector.MatchLabels
		if name := set[componentLabel]; name != "" && set[instanceLabel] == r.Name {
			found[name] = workload{Place: network.Place{Name: name, Namespace: r.Namespace, Labels: set}}
		}
	}
	for _, pod := range running(pods) {
		name := pod.Labels[componentLabel]
		w, known := found[name]
		if !known || len(w.pods) == 0 {
			w.Place = place(name, pod)
		}
		w.pods = append(w.pods, pod)
		found[name] = w
	}
	c := cluster{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		c.workloads = append(c.workloads, found[name])
	}
	for i := range policies.Items {
		c.policies = append(c.policies, &policies.Items[i])
	}
	if servers := running(dns); len(servers) > 0 {
		server := place("dns", servers[0])
		server.Ports, server.Foreign = []int32{53}, true
		c.foreign = append(c.foreign, server)
	}
	server, err := apiServer(api)
	c.foreign = append(c.foreign, server)
	return c, err
}

// get fetches and decodes objects of the cluster.
func (r Release) get(ctx context.Context, into any, args ...string) error {
	out, err := r.Kubectl(ctx, nil, append([]string{"get", "-o", "json"}, args...)...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("kubectl get %v: %w", args, err)
	}
	return nil
}

// running excludes pods that have ended, are terminating, or have no address yet.
func running(pods corev1.PodList) []corev1.Pod {
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil || pod.Status.PodIP == ""
	})
}

func place(name string, pod corev1.Pod) network.Place {
	p := network.Place{Name: name, Namespace: pod.Namespace, Labels: labels.Set(pod.Labels)}
	p.Address, _ = netip.ParseAddr(pod.Status.PodIP)
	for _, c := range pod.Spec.Containers {
		for _, port := range c.Ports {
			if port.Protocol == corev1.ProtocolTCP || port.Protocol == "" {
				p.Ports = append(p.Ports, port.ContainerPort)
			}
		}
	}
	return p
}

// apiServer is the cluster's API server.
func apiServer(slices discoveryv1.EndpointSliceList) (network.Place, error) {
	for _, slice := range slices.Items {
		if len(slice.Endpoints) > 0 && len(slice.Endpoints[0].Addresses) > 0 && len(slice.Ports) > 0 && slice.Ports[0].Port != nil {
			address, err := netip.ParseAddr(slice.Endpoints[0].Addresses[0])
			return network.Place{Name: "api server", Address: address, Ports: []int32{*slice.Ports[0].Port}, Foreign: true}, err
		}
	}
	return network.Place{}, errors.New("the cluster does not say where its API server is")
}
