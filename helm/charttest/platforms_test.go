package charttest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"fledge.dev/deploy/cluster/certs"
)

// TestNamesMayBeGivenWhole, and clustercerts makes certificates for these.
func TestNamesMayBeGivenWhole(t *testing.T) {
	issued := map[string][]string{}
	for _, o := range objectsOf(t, over(t, "cluster", `{fullnameOverride: shop, nameOverride: site, tls: {mode: cert-manager, issuerRef: {name: workloads}}}`)) {
		if o.name() != "shop" && !strings.HasPrefix(o.name(), "shop-") {
			t.Errorf("%s", o)
		}
		if c, ok := o.typed.(*certificate); ok {
			issued[c.Spec.SecretName] = c.Spec.DNSNames
		}
	}
	made := certs.Options{Release: releaseName, Chart: "site", Full: "shop", Namespace: namespace, Domain: "cluster.local", Lifetime: time.Hour}.Names()
	if !maps.EqualFunc(issued, made, slices.Equal) {
		t.Errorf("cert-manager issues %v\nclustercerts issues %v", issued, made)
	}
}

// onDisk are the volumes of pods that take space of their node.
func onDisk(pods corev1.PodSpec) (volumes []corev1.Volume) {
	for _, v := range pods.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.Medium != corev1.StorageMediumMemory {
			volumes = append(volumes, v)
		}
	}
	return volumes
}

// TestANodeMayGo although a pod has volumes on its disk, for which the cluster autoscaler would keep it.
func TestANodeMayGo(t *testing.T) {
	const annotation = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
	eachSet(t, func(t *testing.T, objects []object) {
		for name, d := range of[*appsv1.Deployment](objects) {
			named := strings.Split(d.Spec.Template.Annotations[annotation], ",")
			for _, v := range onDisk(d.Spec.Template.Spec) {
				if !slices.Contains(named, v.Name) {
					t.Errorf("%s: its node stays for the volume %s", name, v.Name)
				}
			}
		}
	})
	web := of[*appsv1.Deployment](with(t, "services: {web: {podAnnotations: {"+annotation+": site}}}"))["fledge-web"]
	if own := web.Spec.Template.Annotations[annotation]; own != "site" {
		t.Errorf("an annotation of the values became %q", own)
	}
}

// TestDiskThatMayBeTakenIsRequested: GKE's Autopilot takes the request for the limit, above which a pod is evicted. A
// kubelet keeps five files of 10 MiB of each container's log.
func TestDiskThatMayBeTakenIsRequested(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for name, d := range of[*appsv1.Deployment](objects) {
			var requested, taken resource.Quantity
			for _, c := range d.Spec.Template.Spec.Containers {
				requested.Add(*c.Resources.Requests.StorageEphemeral())
				taken.Add(resource.MustParse("50M"))
			}
			for _, v := range onDisk(d.Spec.Template.Spec) {
				taken.Add(*v.EmptyDir.SizeLimit)
			}
			if requested.Cmp(taken) < 0 {
				t.Errorf("%s requests %v and may take %v", name, &requested, &taken)
			}
		}
	})
}

// TestADiskLimitOfTheValues, which may be below what is requested otherwise, is not below the request: an API server refuses that.
func TestADiskLimitOfTheValues(t *testing.T) {
	for _, d := range of[*appsv1.Deployment](objectsOf(t, over(t, "cluster", `{services: {billing: {resources: {limits: {ephemeral-storage: 64Mi}}}}}`))) {
		for _, c := range d.Spec.Template.Spec.Containers {
			if c.Resources.Requests.StorageEphemeral().Cmp(*c.Resources.Limits.StorageEphemeral()) > 0 {
				t.Errorf("%s: %v", c.Name, c.Resources)
			}
		}
	}
}

// TestEachContainerIsProbed: policies of clusters refuse a pod with another one.
func TestEachContainerIsProbed(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for o, pods := range podsOf(objects) {
			for _, c := range pods.Spec.Containers {
				if lasting := o.kind() == "Deployment" || o.kind() == "StatefulSet"; lasting && c.LivenessProbe == nil {
					t.Errorf("%s: %s has no probe", o, c.Name)
				}
			}
		}
	})
}

// TestPrometheusMayHaveNoOperator, and reads the same.
func TestPrometheusMayHaveNoOperator(t *testing.T) {
	objects := objectsOf(t, over(t, "monitoring", "metrics: {operator: false}"))
	if len(of[*serviceMonitor](objects))+len(of[*prometheusRule](objects)) > 0 {
		t.Error("there are objects of the operator")
	}
	if len(of[*appsv1.Deployment](objects)["fledge-kratos"].Spec.Template.Spec.Containers) != 2 || of[*corev1.ConfigMap](objects)["fledge-dashboard-services"] == nil {
		t.Error("Kratos' metrics or the dashboards are gone")
	}
	for name := range of[*appsv1.Deployment](objects) {
		ingress := of[*networkingv1.NetworkPolicy](objects)[name].Spec.Ingress
		if !slices.ContainsFunc(ingress, func(r networkingv1.NetworkPolicyIngressRule) bool { return r.Ports[0].Port.IntValue() == 9090 }) {
			t.Errorf("nobody reads the metrics of %s", name)
		}
	}
}

// TestRoutesSayWhatTheServerFillsIn: Argo CD finds a difference otherwise, in lists of types that it does not know.
func TestRoutesSayWhatTheServerFillsIn(t *testing.T) {
	objects := objectsOf(t, over(t, "gateway", "ingress: {timeouts: {request: 10m}, parentRefs: [{name: public, namespace: gateways}, {name: site, kind: ListenerSet}, {name: mesh, group: \"\", kind: Service}]}"))
	routes := of[*httpRoute](objects)
	if len(routes) == 0 {
		t.Fatal("no route")
	}
	for name, route := range routes {
		parents := route.Spec.ParentRefs
		if len(parents) != 3 || parents[0].Kind != "Gateway" || parents[0].Namespace != "gateways" || parents[1].Kind != "ListenerSet" || parents[1].Group != "gateway.networking.k8s.io" || parents[2].Group != "" {
			t.Errorf("%s belongs to %+v", name, parents)
		}
		for _, rule := range route.Spec.Rules {
			if to := rule.BackendRefs[0]; to.Group == nil || *to.Group != "" || to.Kind != "Service" || to.Weight != 1 {
				t.Errorf("%s leads to %+v", name, to)
			}
			if rule.Timeouts.Request != "10m" {
				t.Errorf("%s ends an answer after %q", name, rule.Timeouts.Request)
			}
		}
	}
}

// TestVolumesMayNameTheirClass where a cluster has no default.
func TestVolumesMayNameTheirClass(t *testing.T) {
	for class, want := range map[string]string{`""`: "<nil>", "fast": "fast"} {
		for name, set := range of[*appsv1.StatefulSet](objectsOf(t, over(t, "local", "local: {storageClass: "+class+"}"))) {
			got := "<nil>"
			if is := set.Spec.VolumeClaimTemplates[0].Spec.StorageClassName; is != nil {
				got = *is
			}
			if got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}
