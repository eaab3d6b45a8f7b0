package charttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// TestMonitoringBringsEveryRuleAndDashboard as it stands in its file, and is off until
// it is asked for.
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
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(content, &file); err != nil {
			t.Fatal(err)
		}
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
		if dashboard == nil || !json.Valid([]byte(dashboard.Data[name])) || dashboard.Labels["grafana_dashboard"] != "1" {
			t.Errorf("%s is not in the release as it is", path)
		}
	}
	if quiet := render(t, "production"); len(of[*prometheusRule](quiet))+len(of[*serviceMonitor](quiet)) > 0 {
		t.Error("monitoring is on by itself")
	}
}

// TestPrometheusFindsEveryService: the monitor's one port leads to the metrics of each.
func TestPrometheusFindsEveryService(t *testing.T) {
	objects := render(t, "monitoring")
	monitor := of[*serviceMonitor](objects)["fledge"]
	selector := labels.SelectorFromSet(monitor.Spec.Selector.MatchLabels)
	found := map[string]bool{}
	for name, service := range of[*corev1.Service](objects) {
		for _, port := range service.Spec.Ports {
			if selector.Matches(labels.Set(service.Labels)) && port.Name == monitor.Spec.Endpoints[0].Port && open(objects, service, port.TargetPort.String()) {
				found[strings.TrimPrefix(name, "fledge-")] = true
			}
		}
	}
	for name := range programs {
		if name != "kratos" && !found[name] {
			t.Errorf("%s is not read", name)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(chartDir, "files", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
