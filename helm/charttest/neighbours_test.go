package charttest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"k8s.io/apimachinery/pkg/util/validation"

	"fledge.dev/services/platform/errtest"
)

// with renders production with further values.
func with(t *testing.T, values string) []object {
	t.Helper()
	return objectsOf(t, over(t, "production", values))
}

// TestAWorkloadTakesWhatItsClusterNeeds: each key reaches the pods of its workload, its
// migration where that needs it too, and no other.
func TestAWorkloadTakesWhatItsClusterNeeds(t *testing.T) {
	objects := with(t, `
commonLabels: {team: shop}
revisionHistoryLimit: 7
nodeSelector: {pool: general}
dnsConfig: {options: [{name: ndots, value: "2"}]}
jobs: {resources: {limits: {cpu: 1}}}
extraObjects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: further}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: another-template}, data: {url: "postgres://{{ .user }}"}}
  - "{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Release.Name }}-text'}}"
services:
  billing:
    podLabels: {cost: billing}
    serviceAnnotations: {mesh: "on"}
    serviceAccount: {annotations: {role: arn}}
    nodeSelector: {pool: money}
    tolerations: [{key: money, operator: Exists}]
    affinity: {nodeAffinity: {}}
    hostAliases: [{ip: 10.1.2.3, hostnames: [db.corp]}]
    topologySpreadConstraints:
    - {topologyKey: rack, maxSkew: 2, whenUnsatisfiable: DoNotSchedule}
    - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app.kubernetes.io/instance: fledge}}}
    priorityClassName: high
    runtimeClassName: gvisor
    extraEnv: [{name: GOGC, value: "50"}]
    extraEnvFrom: [{configMapRef: {name: more}}]
    extraVolumes: [{name: more, emptyDir: {}}]
    extraVolumeMounts: [{name: more, mountPath: /more}]
    initContainers: [{name: first, image: first}]
    extraContainers: [{name: beside, image: beside}]
    probes: {startup: {failureThreshold: 600}, readiness: {httpGet: {path: /ready}}, liveness: {tcpSocket: {port: ops}}}
    podDisruptionBudget: {minAvailable: 1, unhealthyPodEvictionPolicy: IfHealthyBudget}
    autoscaling: {metrics: [{type: External, external: {metric: {name: queue}, target: {type: Value, value: 5}}}], behavior: {scaleDown: {stabilizationWindowSeconds: 600}}}
  support:
    serviceAccount: {name: given}
    autoscaling: {external: true}
`)
	deployments, jobs := of[*appsv1.Deployment](objects), of[*batchv1.Job](objects)
	billing, other := deployments["fledge-billing"], deployments["fledge-waitlist"]
	pod := billing.Spec.Template
	main, spread := pod.Spec.Containers[0], pod.Spec.TopologySpreadConstraints
	env := func(c corev1.Container, name string) bool {
		return slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name })
	}
	mounted := func(c corev1.Container, path string) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == path })
	}
	job := jobs["fledge-billing-migrate"].Spec.Template.Spec
	for what, ok := range map[string]bool{
		"common labels":          billing.Labels["team"] == "shop" && other.Spec.Template.Labels["team"] == "shop" && of[*corev1.Service](objects)["fledge-billing"].Labels["team"] == "shop",
		"and not in selectors":   billing.Spec.Selector.MatchLabels["team"] == "",
		"labels of pods":         pod.Labels["cost"] == "billing" && other.Spec.Template.Labels["cost"] == "",
		"annotations of Service": of[*corev1.Service](objects)["fledge-billing"].Annotations["mesh"] == "on",
		"of the account":         of[*corev1.ServiceAccount](objects)["fledge-billing"].Annotations["role"] == "arn",
		"node selectors":         pod.Spec.NodeSelector["pool"] == "money" && other.Spec.Template.Spec.NodeSelector["pool"] == "general" && job.NodeSelector["pool"] == "money",
		"tolerations":            len(pod.Spec.Tolerations) == 1 && len(job.Tolerations) == 1 && len(other.Spec.Template.Spec.Tolerations) == 0,
		"affinity":               pod.Spec.Affinity != nil && other.Spec.Template.Spec.Affinity == nil,
		"DNS":                    pod.Spec.DNSConfig.Options[0].Name == "ndots" && *job.DNSConfig.Options[0].Value == "2",
		"names of hosts":         pod.Spec.HostAliases[0].IP == "10.1.2.3" && len(job.HostAliases) == 1 && len(other.Spec.Template.Spec.HostAliases) == 0,
		"topology":               len(spread) == 2 && spread[0].TopologyKey == "rack" && reflect.DeepEqual(spread[0].LabelSelector, billing.Spec.Selector) && len(other.Spec.Template.Spec.TopologySpreadConstraints) == 2,
		"its own selector":       len(spread[1].LabelSelector.MatchLabels) == 1,
		"priority":               pod.Spec.PriorityClassName == "high" && *pod.Spec.RuntimeClassName == "gvisor",
		"env":                    env(main, "GOGC") && env(job.Containers[0], "GOGC") && len(main.EnvFrom) == 1 && len(job.Containers[0].EnvFrom) == 1,
		"volumes":                mounted(main, "/more") && mounted(job.Containers[0], "/more"),
		"containers":             pod.Spec.InitContainers[0].Name == "first" && pod.Spec.Containers[1].Name == "beside",
		"probes":                 main.StartupProbe.FailureThreshold == 600 && main.StartupProbe.PeriodSeconds == 1 && main.StartupProbe.HTTPGet != nil,
		"a path of a probe":      main.ReadinessProbe.HTTPGet.Path == "/ready" && main.ReadinessProbe.HTTPGet.Port.StrVal == "ops",
		"another handler":        main.LivenessProbe.HTTPGet == nil && main.LivenessProbe.TCPSocket != nil && main.LivenessProbe.PeriodSeconds == 10,
		"history":                *billing.Spec.RevisionHistoryLimit == 7,
		"quota of Jobs":          job.Containers[0].Resources.Limits.Cpu().String() == "1" && job.Containers[0].Resources.Limits.Memory().String() == "128Mi",
		"further objects":        of[*corev1.ConfigMap](objects)["further"] != nil && of[*corev1.ConfigMap](objects)["fledge-text"] != nil && of[*corev1.ConfigMap](objects)["another-template"].Data["url"] == "postgres://{{ .user }}",
		"a given account":        deployments["fledge-support"].Spec.Template.Spec.ServiceAccountName == "given" && jobs["fledge-support-migrate"].Spec.Template.Spec.ServiceAccountName == "given" && of[*corev1.ServiceAccount](objects)["fledge-support"] == nil,
		"another autoscaler":     deployments["fledge-support"].Spec.Replicas == nil && of[*autoscalingv2.HorizontalPodAutoscaler](objects)["fledge-support"] == nil && of[*policyv1.PodDisruptionBudget](objects)["fledge-support"] != nil,
		"metrics to scale by":    len(of[*autoscalingv2.HorizontalPodAutoscaler](objects)["fledge-billing"].Spec.Metrics) == 2,
		"a budget of its own":    of[*policyv1.PodDisruptionBudget](objects)["fledge-billing"].Spec.MinAvailable.IntValue() == 1,
	} {
		if !ok {
			t.Errorf("%s: not as the values say", what)
		}
	}
}

// TestAQuotaOfCPUIsMet by the values that the documents name: every container has a limit, or the
// pod is refused.
func TestAQuotaOfCPUIsMet(t *testing.T) {
	limit := `resources: {limits: {cpu: "1"}}`
	values := "jobs: {" + limit + "}\nmetrics: {enabled: true}\n" +
		"networkPolicy: {peers: {monitoring: [{podSelector: {}}]}}\nservices:\n"
	for workload := range of[*appsv1.Deployment](render(t, "production")) {
		values += "  " + strings.TrimPrefix(workload, "fledge-") + ": {" + limit + "}\n"
	}
	trial := "local: {postgres: {" + limit + "}, nats: {" + limit + "}, standins: {" + limit + "}}\n"
	for set, values := range map[string]string{"production": values, "local": trial + values} {
		for o, pods := range podsOf(objectsOf(t, over(t, set, values))) {
			for _, c := range slices.Concat(pods.Spec.InitContainers, pods.Spec.Containers) {
				if c.Resources.Limits.Cpu().IsZero() {
					t.Errorf("%s: %s: container %s has no limit", set, o.component(), c.Name)
				}
			}
		}
	}
}

// TestALimitRangeWithAMinimumIsMet by the values that the documents name, in every container.
func TestALimitRangeWithAMinimumIsMet(t *testing.T) {
	least := `resources: {requests: {cpu: 300m, memory: 256Mi}, limits: {memory: 1Gi}}`
	values := "jobs: {" + least + "}\nmetrics: {enabled: true}\n" +
		"networkPolicy: {peers: {monitoring: [{podSelector: {}}]}}\nservices:\n"
	for workload := range of[*appsv1.Deployment](render(t, "production")) {
		values += "  " + strings.TrimPrefix(workload, "fledge-") + ": {" + least + "}\n"
	}
	for o, pods := range podsOf(with(t, values)) {
		for _, c := range slices.Concat(pods.Spec.InitContainers, pods.Spec.Containers) {
			if got := c.Resources; got.Requests.Cpu().String() != "300m" || got.Requests.Memory().String() != "256Mi" || got.Limits.Memory().String() != "1Gi" {
				t.Errorf("%s: container %s has %v", o.component(), c.Name, got)
			}
		}
	}
}

// TestKratosCallsIdentityPastTheClustersProxy: Kratos follows an HTTP_PROXY that the cluster gives every pod.
func TestKratosCallsIdentityPastTheClustersProxy(t *testing.T) {
	for _, c := range of[*appsv1.Deployment](render(t, "production"))["fledge-kratos"].Spec.Template.Spec.Containers {
		if c.Name != "kratos" {
			continue
		}
		env := map[string]string{}
		for _, e := range c.Env {
			env[e.Name] = e.Value
		}
		if _, proxied := env["HTTPS_PROXY"]; proxied || !slices.Contains(strings.Split(env["NO_PROXY"], ","), "fledge-identity-hooks") {
			t.Errorf("without a proxy of the chart's: %v", env)
		}
		return
	}
	t.Error("there is no container kratos")
}

// TestOtherPeoplesNetworks: databases on other ports, a proxy that inspects TLS, a load balancer
// that ends it, and other names of the site.
func TestOtherPeoplesNetworks(t *testing.T) {
	objects := with(t, `
ingress: {tls: outside, tlsSecret: "", aliases: [www.fledge.dev, fledge.app]}
proxy: {url: "http://proxy.corp:3128", noProxy: [.corp]}
caBundle: {configMap: corporate}
networkPolicy:
  ports: {postgres: [6432, 5432], nats: [4443], dns: [5353]}
  peers: {proxy: [{ipBlock: {cidr: 10.9.9.9/32}}]}
`)
	deployments := of[*appsv1.Deployment](objects)
	value := func(workload, container, name string) string {
		for _, c := range deployments["fledge-"+workload].Spec.Template.Spec.Containers {
			for _, e := range c.Env {
				if c.Name == container && e.Name == name {
					return e.Value
				}
			}
		}
		return ""
	}
	for _, workload := range []string{"billing", "releases", "identity", "kratos"} {
		if value(workload, workload, "HTTPS_PROXY") != "http://proxy.corp:3128" || !strings.Contains(value(workload, workload, "NO_PROXY"), "fledge-identity-hooks,") || !strings.HasSuffix(value(workload, workload, "NO_PROXY"), ",.corp") {
			t.Errorf("%s calls past the proxy: %q, %q", workload, value(workload, workload, "HTTPS_PROXY"), value(workload, workload, "NO_PROXY"))
		}
	}
	if value("waitlist", "waitlist", "HTTPS_PROXY") != "" {
		t.Error("waitlist calls nothing outside, and has a proxy")
	}
	for name := range deployments {
		if workload := strings.TrimPrefix(name, "fledge-"); value(workload, workload, "SSL_CERT_DIR") != "/run/ca-bundle" {
			t.Errorf("%s does not trust the bundle", name)
		}
	}
	ports := map[string]bool{}
	for _, rule := range of[*networkingv1.NetworkPolicy](objects)["fledge-billing"].Spec.Egress {
		for _, p := range rule.Ports {
			ports[fmt.Sprintf("%s/%d", *p.Protocol, p.Port.IntVal)] = true
		}
	}
	for port, want := range map[string]bool{
		"TCP/6432": true, "TCP/5432": true, "TCP/4443": true, "TCP/4222": true, "TCP/3128": true, "TCP/443": true, "UDP/5353": true, "TCP/5353": true,
		"UDP/53": false, "TCP/53": false,
	} {
		if ports[port] != want {
			t.Errorf("billing reaches %s: %t", port, ports[port])
		}
	}
	ingress := of[*networkingv1.Ingress](objects)["fledge"]
	var hosts []string
	for _, rule := range ingress.Spec.Rules {
		hosts = append(hosts, rule.Host)
	}
	if len(ingress.Spec.TLS) > 0 || !slices.Contains(hosts, "www.fledge.dev") || !slices.Contains(hosts, "fledge.app") {
		t.Errorf("the Ingress has TLS %v and hosts %v", ingress.Spec.TLS, hosts)
	}
	if value("web", "web", "FLEDGE_TLS_OUTSIDE") != "true" || value("web", "web", "FLEDGE_ALIAS_HOST") != "www.fledge.dev fledge.app" || !strings.HasSuffix(value("web", "web", "FLEDGE_HOSTS"), " www.fledge.dev fledge.app") {
		t.Error("the front door does not know of them")
	}
}

// TestNamesFitTheirObjects: a CronJob's name may have 52 characters, a label 63 and no plus, and an image's tag no plus.
func TestNamesFitTheirObjects(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	loaded.Metadata.Version, loaded.Metadata.AppVersion = "0.1.0+build."+strings.Repeat("5", 44)+".6.6", "0.1.0+build.5"
	values := over(t, "monitoring", `{nameOverride: a-name-of-thirty-two-characters}`)
	manifests, err := renderChart(loaded, values, false)
	errtest.None(t, err)
	for _, o := range parse(t, manifests) {
		most := map[string]int{"CronJob": 52}[o.kind()]
		if most == 0 {
			most = 63
		}
		if len(o.name()) > most {
			t.Errorf("%s: %d characters", o, len(o.name()))
		}
		for label, value := range o.typed.GetLabels() {
			if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 {
				t.Errorf("%s: label %s: %s: %v", o, label, value, wrong)
			}
		}
		if pods := o.pods(); pods != nil {
			for _, c := range containers(pods) {
				if strings.Contains(c.Image, "+") {
					t.Errorf("%s: image %s", o, c.Image)
				}
			}
		}
	}
}

// TestServicesHaveTheFamiliesOfTheCluster unless the values say another.
func TestServicesHaveTheFamiliesOfTheCluster(t *testing.T) {
	for values, want := range map[string]string{
		"{}":                            "<nil> []",
		"service: {ipFamilies: [IPv6]}": "<nil> [IPv6]",
		"service: {ipFamilyPolicy: PreferDualStack, ipFamilies: [IPv6, IPv4]}": "PreferDualStack [IPv6 IPv4]",
	} {
		for _, o := range with(t, values) {
			service, ok := o.typed.(*corev1.Service)
			if !ok {
				continue
			}
			policy := "<nil>"
			if service.Spec.IPFamilyPolicy != nil {
				policy = string(*service.Spec.IPFamilyPolicy)
			}
			if got := fmt.Sprint(policy, " ", service.Spec.IPFamilies); got != want {
				t.Errorf("%s: %s has %s, want %s", values, o, got, want)
			}
		}
	}
}

// TestATrialListensOnTheFamilyOfTheCluster, of which an address of all IPv4 interfaces is none where there is IPv6 alone.
func TestATrialListensOnTheFamilyOfTheCluster(t *testing.T) {
	manifests, err := renderValues(over(t, "local", "service: {ipFamilies: [IPv6]}"), false)
	errtest.None(t, err)
	nats := string(of[*corev1.Secret](parse(t, manifests))["fledge-nats"].Data["nats.conf"])
	if !strings.Contains(nats, `listen: "[::]:4222"`) || strings.Contains(nats, "0.0.0.0") {
		t.Errorf("NATS: %s", nats)
	}
	if standins := manifests["fledge/templates/local-standins.yaml"]; !strings.Contains(standins, `PROVIDERS_ADDR, value: ":8081"`) || strings.Contains(standins, "0.0.0.0") {
		t.Errorf("the stand-ins: %s", standins)
	}
}

// TestJobsHaveWhatTheirWorkloadHas: a migration and the cleaning of Kratos' database run the same
// program against the same database, in pods whose annotations and labels are their own.
func TestJobsHaveWhatTheirWorkloadHas(t *testing.T) {
	further := `{extraEnv: [{name: FURTHER, value: x}], extraEnvFrom: [{configMapRef: {name: further}}],
		extraVolumes: [{name: further, emptyDir: {}}], extraVolumeMounts: [{name: further, mountPath: /further}], serviceAccount: {annotations: {role: arn}}}`
	objects := with(t, "caBundle: {configMap: corporate}\njobs: {podAnnotations: {linkerd.io/inject: disabled}, podLabels: {cost: jobs}}\n"+
		"commonLabels: {cost: shop}\nservices: {billing: "+further+", kratos: "+further+"}")
	accounts := of[*corev1.ServiceAccount](objects)
	for _, name := range []string{"billing-migrate", "kratos-migrate", "kratos-cleanup"} {
		at := slices.IndexFunc(objects, func(o object) bool { return o.name() == "fledge-"+name && o.pods() != nil })
		pods := objects[at].pods()
		if pods.Annotations["linkerd.io/inject"] != "disabled" || pods.Labels["cost"] != "jobs" {
			t.Errorf("%s: pods with %v, %v", name, pods.Annotations, pods.Labels)
		}
		account := accounts[pods.Spec.ServiceAccountName]
		if account == nil || account.Annotations["role"] != "arn" {
			t.Errorf("%s runs as %q", name, pods.Spec.ServiceAccountName)
			continue
		}
		if objects[at].kind() == "Job" && (account.Annotations["helm.sh/hook"] != "pre-install,pre-upgrade" || account.Annotations["helm.sh/hook-weight"] != "-1") {
			t.Errorf("%s: its account does not come before it: %v", name, account.Annotations)
		}
		var volumes []string
		for _, v := range pods.Spec.Volumes {
			volumes = append(volumes, v.Name)
		}
		for _, c := range containers(pods) {
			env, mounts := map[string]string{}, map[string]bool{}
			for _, e := range c.Env {
				env[e.Name] = e.Value
			}
			for _, m := range c.VolumeMounts {
				mounts[m.MountPath] = slices.Contains(volumes, m.Name)
			}
			if env["FURTHER"] != "x" || env["SSL_CERT_DIR"] != "/run/ca-bundle" || len(c.EnvFrom) != 1 || !mounts["/further"] || !mounts["/run/ca-bundle"] {
				t.Errorf("%s: %s has %v, %v, %v", name, c.Name, env, c.EnvFrom, mounts)
			}
		}
	}
	if pods := of[*batchv1.Job](objects)["fledge-waitlist-migrate"].Spec.Template.Spec; pods.ServiceAccountName != "fledge-waitlist-migrate" || accounts["fledge-waitlist-migrate"] == nil {
		t.Errorf("a migration runs as %q", pods.ServiceAccountName)
	}
}

// TestLabelsAreThereOnce: of two with the same name, the nearer one counts; parse refuses a key that is there twice.
func TestLabelsAreThereOnce(t *testing.T) {
	objects := with(t, `
commonLabels: {team: all, release: all, grafana_dashboard: all}
metrics: {enabled: true, labels: {release: prometheus}, dashboardLabels: {grafana_dashboard: null, folder: shop}}
networkPolicy: {peers: {monitoring: [{podSelector: {}}]}}
services: {billing: {podLabels: {team: billing}}, support: {podLabels: {team: ""}}}
`)
	deployments := of[*appsv1.Deployment](objects)
	ofNobody, given := deployments["fledge-support"].Spec.Template.Labels["team"]
	for what, ok := range map[string]bool{
		"pods":       deployments["fledge-billing"].Spec.Template.Labels["team"] == "billing" && deployments["fledge-waitlist"].Spec.Template.Labels["team"] == "all",
		"empty":      given && ofNobody == "",
		"monitor":    of[*serviceMonitor](objects)["fledge"].Labels["release"] == "prometheus",
		"dashboards": of[*corev1.ConfigMap](objects)["fledge-dashboard-business"].Labels["folder"] == "shop" && of[*corev1.ConfigMap](objects)["fledge-dashboard-business"].Labels["grafana_dashboard"] == "all",
	} {
		if !ok {
			t.Errorf("%s: another label than the values say", what)
		}
	}
	with(t, "metrics: {enabled: true, dashboardLabels: {grafana_dashboard: null}}\nnetworkPolicy: {peers: {monitoring: [{podSelector: {}}]}}")
}

// TestTheFrontDoorTakesAnnotations in both of its forms.
func TestTheFrontDoorTakesAnnotations(t *testing.T) {
	for kind, values := range map[string]string{
		"Ingress":   "ingress: {annotations: {size: 11m}}",
		"HTTPRoute": "ingress: {annotations: {size: 11m}, type: httproute, parentRefs: [{name: public}], aliases: [www.fledge.dev]}",
	} {
		found := 0
		for _, o := range with(t, values) {
			if o.kind() == kind {
				found++
				if o.typed.GetAnnotations()["size"] != "11m" {
					t.Errorf("%s has %v", o, o.typed.GetAnnotations())
				}
			}
		}
		if found == 0 {
			t.Errorf("no %s", kind)
		}
	}
}
