package charttest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"fledge.dev/services/platform/errtest"
)

// TestASecretMayComeFromElsewhere: where its key is not among secretKeys, no process waits for its file.
func TestASecretMayComeFromElsewhere(t *testing.T) {
	objects := with(t, `
services:
  identity:
    extraEnv:
      - {name: GOOGLE_CLIENT_SECRET, valueFrom: {secretKeyRef: {name: google, key: secret}}}
      - {name: APPLE_PRIVATE_KEY, valueFrom: {secretKeyRef: {name: apple, key: p8}}}
  kratos:
    secretKeys: [KRATOS_COOKIE_SECRETS, KRATOS_CIPHER_SECRETS]
    extraEnv:
      - {name: KRATOS_DATABASE_URL, valueFrom: {secretKeyRef: {name: pg, key: uri}}}
      - {name: GOOGLE_CLIENT_SECRET, valueFrom: {secretKeyRef: {name: google, key: secret}}}
      - {name: APPLE_PRIVATE_KEY, valueFrom: {secretKeyRef: {name: apple, key: p8}}}
`)
	url, providers := []string{"KRATOS_DATABASE_URL"}, []string{"GOOGLE_CLIENT_SECRET", "APPLE_PRIVATE_KEY"}
	for container, keys := range map[string][]string{
		"Deployment/fledge-kratos config":               slices.Concat(url, providers),
		"Job/fledge-kratos-migrate config":              slices.Concat(url, providers),
		"CronJob/fledge-kratos-cleanup config":          slices.Concat(url, providers),
		"CronJob/fledge-kratos-cleanup failed-sign-ins": url,
		"Deployment/fledge-identity identity":           providers,
		"Job/fledge-identity-migrate migrate":           providers,
	} {
		given := settingsOf(objects, container)
		for _, key := range keys {
			if _, file := given[key+"_FILE"]; file || len(given[key]) != 1 || given[key][0].ValueFrom == nil {
				t.Errorf("%s has %s as %v, and %v", container, key, given[key], given[key+"_FILE"])
			}
		}
	}
	for o, pods := range podsOf(objects) {
		for _, volume := range pods.Spec.Volumes {
			if volume.Projected == nil {
				continue
			}
			for _, source := range volume.Projected.Sources {
				for _, item := range source.Secret.Items {
					if slices.Contains(slices.Concat(url, providers), item.Key) {
						t.Errorf("%s waits for %s of %s", o, item.Key, source.Secret.Name)
					}
				}
			}
		}
	}
}

// TestKratosDatabaseMayBeAFile that another volume holds, for each process that reads its address.
func TestKratosDatabaseMayBeAFile(t *testing.T) {
	objects := with(t, `
services:
  kratos:
    secretKeys: [KRATOS_COOKIE_SECRETS, KRATOS_CIPHER_SECRETS, GOOGLE_CLIENT_SECRET, APPLE_PRIVATE_KEY]
    env: {KRATOS_DATABASE_URL_FILE: /mnt/s/url}
    extraVolumes: [{name: s, emptyDir: {}}]
    extraVolumeMounts: [{name: s, mountPath: /mnt/s}]
`)
	for _, container := range []string{
		"Deployment/fledge-kratos config", "Job/fledge-kratos-migrate config",
		"CronJob/fledge-kratos-cleanup config", "CronJob/fledge-kratos-cleanup failed-sign-ins",
	} {
		if files := settingsOf(objects, container)["KRATOS_DATABASE_URL_FILE"]; len(files) != 1 || files[0].Value != "/mnt/s/url" {
			t.Errorf("%s has %v", container, files)
		}
	}
}

// settingsOf are the settings of a container, "Kind/name container", by name.
func settingsOf(objects []object, of string) map[string][]corev1.EnvVar {
	of, container, _ := strings.Cut(of, " ")
	at := slices.IndexFunc(objects, func(o object) bool { return o.String() == of && o.pods() != nil })
	all := containers(objects[at].pods())
	settings := map[string][]corev1.EnvVar{}
	for _, e := range all[slices.IndexFunc(all, func(c corev1.Container) bool { return c.Name == container })].Env {
		settings[e.Name] = append(settings[e.Name], e)
	}
	return settings
}

// TestAWorkloadMayBeFreeOfThePlaceOfAll by an empty one of its own.
func TestAWorkloadMayBeFreeOfThePlaceOfAll(t *testing.T) {
	objects := with(t, `
nodeSelector: {pool: general}
tolerations: [{key: general, operator: Exists}]
priorityClassName: high
services:
  billing: {nodeSelector: {}, tolerations: [], priorityClassName: "", topologySpreadConstraints: []}
`)
	for _, o := range objects {
		pods := o.pods()
		if pods == nil {
			continue
		}
		free := o.name() == "fledge-billing" || o.name() == "fledge-billing-migrate"
		if spec := pods.Spec; (len(spec.NodeSelector) == 0) != free || (len(spec.Tolerations) == 0) != free || (spec.PriorityClassName == "") != free {
			t.Errorf("%s is at %v, %v, %q", o, spec.NodeSelector, spec.Tolerations, spec.PriorityClassName)
		}
		if n := len(pods.Spec.TopologySpreadConstraints); o.kind() == "Deployment" && (n == 0) != free {
			t.Errorf("%s has %d constraints", o, n)
		}
	}
}

// TestASettingIsThereOnce: of two with the same name, that of the values counts; a server-side apply refuses both.
func TestASettingIsThereOnce(t *testing.T) {
	objects := with(t, `
proxy: {url: "http://proxy.corp:3128"}
networkPolicy: {peers: {proxy: [{ipBlock: {cidr: 10.9.9.9/32}}]}}
caBundle: {configMap: corp-ca}
services:
  billing: {env: {HTTPS_PROXY: "http://other.corp:3128", GOMEMLIMIT: 64MiB, LOG_LEVEL: debug}}
  support: {extraEnv: [{name: HTTPS_PROXY, value: "http://other.corp:3128"}, {name: SSL_CERT_DIR, value: /certs}, {name: LOG_LEVEL, value: debug}]}
  kratos: {env: {FURTHER: one}, extraEnv: [{name: FURTHER, value: two}]}
`)
	for o, pods := range podsOf(objects) {
		for _, c := range containers(pods) {
			seen := map[string]string{}
			for _, e := range c.Env {
				if _, twice := seen[e.Name]; twice {
					t.Errorf("%s: %s has %s twice", o, c.Name, e.Name)
				}
				seen[e.Name] = e.Value
			}
			if _, given := seen["NO_PROXY"]; given && o.String() == "Job/fledge-billing-migrate" {
				t.Errorf("%s has what the chart gives its workload: %v", o, seen)
			}
			if o.String() == "Deployment/fledge-support" && (seen["HTTPS_PROXY"] != "http://other.corp:3128" || seen["SSL_CERT_DIR"] != "/certs") {
				t.Errorf("%s has %v", o, seen)
			}
			if o.String() == "Deployment/fledge-billing" && (seen["HTTPS_PROXY"] != "http://other.corp:3128" || seen["GOMEMLIMIT"] != "64MiB" || seen["LOG_LEVEL"] != "debug" || seen["NO_PROXY"] == "") {
				t.Errorf("%s has %v", o, seen)
			}
		}
	}
}

// TestAnEmptySettingCounts: it takes what the chart sets away from one workload.
func TestAnEmptySettingCounts(t *testing.T) {
	const annotation = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
	objects := with(t, `
otlp: {endpoint: "http://collector:4317"}
proxy: {url: "http://proxy.corp:3128"}
mail: {supportTeam: team@fledge.dev}
networkPolicy: {peers: {proxy: [{ipBlock: {cidr: 10.9.9.9/32}}], otlp: [{podSelector: {}}]}}
services:
  releases: {env: {OTLP_ENDPOINT: ""}, podAnnotations: {`+annotation+`: ""}}
  billing: {env: {HTTPS_PROXY: "", GOMEMLIMIT: ""}}
  support: {env: {TEAM_ADDRESS: ""}}
  kratos: {env: {APPLE_TEAM_ID: ""}}
`)
	for container, names := range map[string][]string{
		"Deployment/fledge-releases releases":  {"OTLP_ENDPOINT"},
		"Job/fledge-releases-migrate migrate":  {"OTLP_ENDPOINT"},
		"Deployment/fledge-billing billing":    {"HTTPS_PROXY", "GOMEMLIMIT"},
		"Deployment/fledge-support support":    {"TEAM_ADDRESS"},
		"Deployment/fledge-kratos config":      {"APPLE_TEAM_ID"},
		"CronJob/fledge-kratos-cleanup config": {"APPLE_TEAM_ID"},
		"Job/fledge-kratos-migrate config":     {"APPLE_TEAM_ID"},
	} {
		settings := settingsOf(objects, container)
		for _, name := range names {
			if got := settings[name]; len(got) != 1 || got[0].Value != "" {
				t.Errorf("%s has %v", container, got)
			}
		}
	}
	if others := settingsOf(objects, "Deployment/fledge-waitlist waitlist")["OTLP_ENDPOINT"]; len(others) != 1 || others[0].Value == "" {
		t.Errorf("another service has %v", others)
	}
	if own, given := of[*appsv1.Deployment](objects)["fledge-releases"].Spec.Template.Annotations[annotation]; !given || own != "" {
		t.Errorf("the annotation is %q", own)
	}
}

// TestARevisionOfTheChartRestartsNothing that runs the same: Flux numbers a chart anew with each commit.
func TestARevisionOfTheChartRestartsNothing(t *testing.T) {
	for name := range sets {
		values := over(t, name, "image: {tag: 1.2.3}")
		var before map[string]corev1.PodTemplateSpec
		for _, version := range []string{"1.2.3+0123abcd", "1.2.3+4567cdef"} {
			loaded, err := loader.Load(chartDir)
			errtest.None(t, err)
			loaded.Metadata.Version, loaded.Metadata.AppVersion = version, version
			manifests, err := renderChart(loaded, values, true)
			errtest.None(t, err)
			after := map[string]corev1.PodTemplateSpec{}
			for o, pods := range podsOf(parse(t, manifests)) {
				after[o.String()] = *pods
			}
			for o := range before {
				if !reflect.DeepEqual(before[o], after[o]) {
					t.Errorf("%s: %s restarts", name, o)
				}
			}
			before = after
		}
	}
}

// TestUsersMayBeTheClusters: OpenShift gives each namespace its ids, and refuses others.
func TestUsersMayBeTheClusters(t *testing.T) {
	for _, o := range with(t, "podSecurityContext: {runAsUser: null, runAsGroup: null, fsGroup: null, supplementalGroups: [7]}") {
		if pods := o.pods(); pods != nil {
			s := pods.Spec.SecurityContext
			if s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil || len(s.SupplementalGroups) != 1 || !*s.RunAsNonRoot {
				t.Errorf("%s: %v", o, s)
			}
		}
	}
}

// TestPortsSayWhatIsSpoken: a mesh goes by it.
func TestPortsSayWhatIsSpoken(t *testing.T) {
	for values, want := range map[string]string{"{}": "tls", `tls: {mode: "off"}`: "kubernetes.io/h2c"} {
		found := 0
		for name, service := range of[*corev1.Service](with(t, values)) {
			for _, port := range service.Spec.Ports {
				if port.Name == "grpc" {
					found++
					if *port.AppProtocol != want {
						t.Errorf("%s speaks %s, not %s", name, *port.AppProtocol, want)
					}
				}
			}
		}
		if found == 0 {
			t.Error("no port speaks gRPC")
		}
	}
}
