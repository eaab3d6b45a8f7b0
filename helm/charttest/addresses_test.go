package charttest

import (
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestEveryAddressLeadsToAPod: the Services that settings and routes name exist, and
// their ports are open in the pods that they select.
func TestEveryAddressLeadsToAPod(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		services := of[*corev1.Service](objects)
		reached := func(from, host string, port int32) {
			service := services[host]
			if service == nil {
				t.Errorf("%s names %s, which is not there", from, host)
				return
			}
			at := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port })
			if at < 0 {
				t.Errorf("%s names %s:%d, which the Service does not have", from, host, port)
				return
			}
			if !open(objects, service, service.Spec.Ports[at].TargetPort.String()) {
				t.Errorf("%s: no pod behind %s has the port %s", from, host, service.Spec.Ports[at].TargetPort.String())
			}
		}
		for o, pods := range podsOf(objects) {
			for _, c := range containers(pods) {
				for _, env := range c.Env {
					if host, port, ok := inside(env.Value); ok {
						reached(o.String()+" "+env.Name, host, port)
					}
				}
			}
		}
		for _, o := range objects {
			switch o.kind() {
			case "Ingress":
				for _, rule := range o.ingress().Spec.Rules {
					for _, path := range rule.HTTP.Paths {
						reached(o.String(), path.Backend.Service.Name, path.Backend.Service.Port.Number)
					}
				}
			case "HTTPRoute":
				for _, rule := range o.typed.(*httpRoute).Spec.Rules {
					for _, backend := range rule.BackendRefs {
						reached(o.String(), backend.Name, backend.Port)
					}
				}
			}
		}
	})
}

// inside takes host and port out of a setting that names something of the release.
func inside(value string) (host string, port int32, ok bool) {
	address := strings.TrimPrefix(value, "dns:///")
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		address = u.Host
	}
	host, text, err := net.SplitHostPort(address)
	number, numberErr := strconv.ParseInt(text, 10, 32)
	return host, int32(number), err == nil && numberErr == nil && strings.HasPrefix(host, releaseName+"-")
}

func open(objects []object, service *corev1.Service, target string) bool {
	for _, o := range objects {
		pods := o.pods()
		if pods == nil || !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(pods.Labels)) {
			continue
		}
		for _, c := range pods.Spec.Containers {
			if slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == target }) {
				return true
			}
		}
	}
	return false
}

// TestGRPCSpreadsOverPods: a Service with an address of its own would tie each
// client's one connection to one pod.
func TestGRPCSpreadsOverPods(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for name, service := range of[*corev1.Service](objects) {
			hasGRPC := slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == "grpc" })
			if hasGRPC && service.Spec.ClusterIP != corev1.ClusterIPNone {
				t.Errorf("%s is not headless", name)
			}
		}
	})
}

// TestTheFrontDoorLeadsToBothHalves of the site, and in production to nothing else.
func TestTheFrontDoorLeadsToBothHalves(t *testing.T) {
	want := map[string]string{"/api": "fledge-gateway", "/": "fledge-web"}
	for _, set := range []string{"production", "gateway"} {
		got := map[string]string{}
		for _, o := range render(t, set) {
			switch o.kind() {
			case "Ingress":
				for _, rule := range o.ingress().Spec.Rules {
					for _, path := range rule.HTTP.Paths {
						got[path.Path] = path.Backend.Service.Name
					}
				}
			case "HTTPRoute":
				for _, rule := range o.typed.(*httpRoute).Spec.Rules {
					got[rule.Matches[0].Path.Value] = rule.BackendRefs[0].Name
				}
			}
		}
		if len(got) != 2 || got["/api"] != want["/api"] || got["/"] != want["/"] {
			t.Errorf("%s: %v", set, got)
		}
	}
}

// TestCaddyKnowsItsSettings: every setting of web is one that the Caddyfile or the program
// before it reads.
func TestCaddyKnowsItsSettings(t *testing.T) {
	caddyfile, values := contentOf(t, "../../deploy/caddy/Caddyfile"), contentOf(t, "../../deploy/caddy/site/values.go")
	eachSet(t, func(t *testing.T, objects []object) {
		for _, env := range of[*appsv1.Deployment](objects)["fledge-web"].Spec.Template.Spec.Containers[0].Env {
			if strings.HasPrefix(env.Name, "FLEDGE_") && !strings.Contains(caddyfile, "{$"+env.Name) && !strings.Contains(values, `Getenv("`+env.Name+`")`) {
				t.Errorf("the front door does not read %s", env.Name)
			}
		}
	})
}

// TestTheSiteListensOnBothFamilies: pods may have only IPv6 addresses. Without its quotes
// an empty setting would leave Caddy without an address to listen on.
func TestTheSiteListensOnBothFamilies(t *testing.T) {
	for file, line := range map[string]string{
		"../../deploy/caddy/Caddyfile":       `bind "{$FLEDGE_BIND:127.0.0.1}"`,
		"../../deploy/images/web.Dockerfile": "FLEDGE_BIND= ",
		// The container with Kratos' metrics must be reachable by its pod's address, too.
		"../../deploy/caddy/kratos-metrics.Caddyfile": `bind "{$FLEDGE_BIND:127.0.0.1}"`,
	} {
		if !strings.Contains(contentOf(t, file), line) {
			t.Errorf("%s does not say %s", file, line)
		}
	}
}

// TestTheFrontDoorLetsTheAnalyticsOfTheSettingsThrough, and none without a key.
func TestTheFrontDoorLetsTheAnalyticsOfTheSettingsThrough(t *testing.T) {
	for settings, want := range map[string]map[string]string{
		`{}`:                      {},
		`{posthogKey: phc_1}`:     {"FLEDGE_POSTHOG_HOST": "https://eu.i.posthog.com"},
		`{measurementId: G-TEST}`: {"FLEDGE_MEASUREMENT_ID": "G-TEST"},
	} {
		got := map[string]string{}
		for _, env := range of[*appsv1.Deployment](with(t, "site: {settings: {analytics: "+settings+"}}"))["fledge-web"].Spec.Template.Spec.Containers[0].Env {
			if env.Name == "FLEDGE_POSTHOG_HOST" || env.Name == "FLEDGE_MEASUREMENT_ID" {
				got[env.Name] = env.Value
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", settings, got, want)
		}
	}
}
