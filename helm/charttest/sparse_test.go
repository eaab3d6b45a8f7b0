package charttest

import (
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	appsv1 "k8s.io/api/apps/v1"

	"fledge.dev/services/platform/errtest"
)

// TestWhatIsLeftOutIsNamed: without any one value of production.yaml, or any one key of a workload's Secret, either
// the chart says so or every program starts, and not a hook of the installation finds it out.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	complete := valuesOf(t, sets["production"]...)
	var without []string
	var leaves func(section map[string]any, path ...string)
	leaves = func(section map[string]any, path ...string) {
		for key, value := range section {
			at := append(path[:len(path):len(path)], key)
			if below, isSection := value.(map[string]any); isSection {
				leaves(below, at...)
				continue
			}
			without = append(without, strings.Join(at, ": {")+": null"+strings.Repeat("}", len(at)-1))
		}
	}
	leaves(complete)
	for name, block := range loader.MergeMaps(loaded.Values, complete)["services"].(map[string]any) {
		all := block.(map[string]any)["secretKeys"].([]any)
		for i := range all {
			var kept []string
			for _, key := range slices.Delete(slices.Clone(all), i, i+1) {
				kept = append(kept, key.(string))
			}
			without = append(without, "services: {"+name+": {secretKeys: ["+strings.Join(kept, ", ")+"]}}")
		}
	}
	slices.Sort(without)
	for _, text := range without {
		manifests, err := renderChart(loaded, over(t, "production", text), false)
		if err != nil {
			continue
		}
		objects := parse(t, manifests)
		for name, load := range programs() {
			pod := of[*appsv1.Deployment](objects)["fledge-"+name].Spec.Template.Spec
			c := pod.Containers[0]
			if name == "kratos" {
				c = pod.InitContainers[0]
			}
			environ := environ(c, mount(t, objects, pod, c))
			if strings.Contains(text, "publishableKey") { // nothing is sold, by keys that are empty
				environ = append(environ, "STRIPE_SECRET_KEY_FILE=", "STRIPE_WEBHOOK_SECRETS_FILE=")
			}
			if _, err := load(environ); err != nil {
				t.Errorf("with %s it renders, and then %s says %v", text, name, err)
			}
		}
	}
}
