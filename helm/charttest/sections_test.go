package charttest

import (
	"os"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"sigs.k8s.io/yaml"
)

// TestAnEmptySectionIsNamed: a key with nothing behind it takes the section's defaults away. Either the chart does
// without it, or says which is missing.
func TestAnEmptySectionIsNamed(t *testing.T) {
	content, err := os.ReadFile(chartDir + "/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var defaults map[string]any
	if err := yaml.Unmarshal(content, &defaults); err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.Load(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	var empty func(section map[string]any, path ...string)
	empty = func(section map[string]any, path ...string) {
		for key, value := range section {
			below, isSection := value.(map[string]any)
			if !isSection || key == "services" {
				continue
			}
			at := append(path[:len(path):len(path)], key)
			text := strings.Join(at, ": {") + ": " + strings.Repeat("}", len(at)-1)
			set := "production"
			if at[0] == "local" {
				set = "local"
			}
			values := loader.MergeMaps(valuesOf(t, sets[set]...), parseValues(t, text))
			if _, err := renderChart(loaded, values, false); err != nil && !strings.Contains(err.Error(), "missing property '"+key+"'") {
				t.Errorf("%s with %q: %v", set, text, err)
			}
			empty(below, at...)
		}
	}
	empty(defaults)
}
