package charttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"fledge.dev/services/platform/errtest"
)

// TestMonitoringBringsEveryRuleAndDashboard unchanged from its file, and is off by default.
func TestMonitoringBringsEveryRuleAndDashboard(t *testing.T) {
	objects := render(t, "monitoring")
	rules, dashboards := of[*prometheusRule](objects), of[*corev1.ConfigMap](objects)
	for _, path := range glob(t, "rules/*.yaml") {
		rule := rules["fledge-"+strings.TrimSuffix(filepath.Base(path), ".yaml")]
		var file struct {
			Groups []struct {
				Rules []struct {
					Alert       string
					Annotations map[string]string
				}
			}
		}
		errtest.None(t, yaml.Unmarshal([]byte(contentOf(t, path)), &file))
		if rule == nil || len(rule.Spec.Groups) != len(file.Groups) {
			t.Errorf("%s is not in the release", path)
			continue
		}
		for i, group := range file.Groups {
			if len(group.Rules) == 0 || len(rule.Spec.Groups[i].Rules) != len(group.Rules) {
				t.Errorf("%s: %d rules of %d", path, len(rule.Spec.Groups[i].Rules), len(group.Rules))
				continue
			}
			for j, r := range group.Rules {
				page, link := r.Annotations["runbook_url"], rule.Spec.Groups[i].Rules[j].Annotations["runbook_url"]
				if r.Alert != "" && (link != "https://github.com/fledge/fledge/blob/main/"+page || !exists("../../"+page)) {
					t.Errorf("%s leads to %q", r.Alert, link)
				}
			}
		}
	}
	for _, path := range glob(t, "dashboards/*.json") {
		name := filepath.Base(path)
		dashboard := dashboards["fledge-dashboard-"+strings.TrimSuffix(name, ".json")]
		if dashboard == nil || len(dashboard.Data) != 1 || !json.Valid([]byte(dashboard.Data["fledge-"+name])) || dashboard.Labels["grafana_dashboard"] != "1" {
			t.Errorf("%s is not in the release as it is", path)
		}
	}
	if quiet := render(t, "production"); len(of[*prometheusRule](quiet))+len(of[*serviceMonitor](quiet)) > 0 {
		t.Error("monitoring is on by itself")
	}
}

// TestPrometheusFindsEveryService: the monitor's one port leads to the metrics of each, and
// the rule ServiceDown knows them by a label.
func TestPrometheusFindsEveryService(t *testing.T) {
	objects := render(t, "monitoring")
	monitor := of[*serviceMonitor](objects)["fledge"]
	selector := labels.SelectorFromSet(monitor.Spec.Selector.MatchLabels)
	found := map[string]bool{}
	for name, service := range of[*corev1.Service](objects) {
		for _, port := range service.Spec.Ports {
			if selector.Matches(labels.Set(service.Labels)) && port.Name == monitor.Spec.Endpoints[0].Port && open(objects, service, port.TargetPort.String()) {
				found[strings.TrimPrefix(name, "fledge-")] = slices.Contains(monitor.Spec.TargetLabels, "app.kubernetes.io/part-of") && service.Labels["app.kubernetes.io/part-of"] == "fledge"
			}
		}
	}
	for name := range of[*appsv1.Deployment](objects) {
		if !found[strings.TrimPrefix(name, "fledge-")] {
			t.Errorf("%s is not read", name)
		}
	}
}

// TestKratosMetricsHaveAContainerOfTheirOwn: they are on Kratos' admin port, which stays
// open to identity only (TestWhoMayReachWhom).
func TestKratosMetricsHaveAContainerOfTheirOwn(t *testing.T) {
	caddyfile, image := contentOf(t, "../../deploy/caddy/kratos-metrics.Caddyfile"), contentOf(t, "../../deploy/images/web.Dockerfile")
	eachSet(t, func(t *testing.T, objects []object) {
		deployments := of[*appsv1.Deployment](objects)
		pod := deployments["fledge-kratos"].Spec.Template.Spec
		monitored := len(of[*serviceMonitor](objects)) > 0
		if len(pod.Containers) != 1 && !monitored {
			t.Error("a container that nobody reads")
		}
		for _, port := range pod.Containers[0].Ports {
			if port.Name == "ops" {
				t.Error("Kratos itself has a port for metrics")
			}
		}
		if !monitored {
			return
		}
		c := pod.Containers[1]
		if web := deployments["fledge-web"].Spec.Template.Spec.Containers[0].Image; c.Image != web {
			t.Errorf("%s is not the image with Caddy, %s", c.Image, web)
		}
		folder, file := filepath.Split(c.Args[2])
		if !regexp.MustCompile(`(?m)^COPY .*deploy/caddy/` + file + ` .*` + folder + `$`).MatchString(image) {
			t.Errorf("the image has no %s", c.Args[2])
		}
		if !slices.ContainsFunc(c.Env, func(env corev1.EnvVar) bool { return env.Name == "FLEDGE_EXPORT" }) {
			t.Error("the image's FLEDGE_EXPORT makes a site there")
		}
		for _, env := range c.Env {
			if strings.HasPrefix(env.Name, "FLEDGE_") && !strings.Contains(caddyfile, env.Name) {
				t.Errorf("the Caddyfile does not read %s", env.Name)
			}
			if env.Name == "FLEDGE_EXPORT" && env.Value != "" {
				t.Error("a site is made there")
			}
			if port := strconv.Itoa(int(c.Ports[0].ContainerPort)); env.Name == "FLEDGE_OPS_PORT" && env.Value != port {
				t.Errorf("listens at %s, not %s", env.Value, port)
			}
		}
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(chartDir, "files", pattern))
	errtest.None(t, err)
	return paths
}
