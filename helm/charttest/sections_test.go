package charttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"fledge.dev/services/platform/errtest"
)

// dispensable are keys with a default, outside of services, that may have nothing behind them.
var dispensable = regexp.MustCompile(`^(site[.]settings[.].*|(networkPolicy[.]peers|metrics[.]dashboardLabels|podSecurityContext)[.].*)$`)

// TestAnEmptyKeyIsNamed: a key with nothing behind it takes the default away, of a section all of them. Either the chart
// does without it, or says which is missing. Keys that several services have are looked at in one of them.
func TestAnEmptyKeyIsNamed(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	seen := map[string]bool{"database": true} // which says what the program is
	var empty func(section map[string]any, path ...string)
	empty = func(section map[string]any, path ...string) {
		for key, value := range section {
			if len(path) > 1 && path[0] == "services" {
				if seen[key] {
					continue
				}
				seen[key] = true
			}
			at := append(path[:len(path):len(path)], key)
			text := strings.Join(at, ": {") + ": " + strings.Repeat("}", len(at)-1)
			set := "production"
			if at[0] == "local" {
				set = "local"
			}
			values := over(t, set, text)
			_, err := renderChart(loaded, values, false)
			below, isSection := value.(map[string]any)
			isNothing := slices.Contains([]string{"<nil>", "", "0", "false", "[]"}, fmt.Sprint(value))
			if err == nil && !isSection && !isNothing && at[0] != "services" && !dispensable.MatchString(strings.Join(at, ".")) {
				t.Errorf("%s with %q renders without %v", set, text, value)
			}
			if err != nil && !strings.Contains(err.Error(), "missing property '"+key+"'") && !strings.HasPrefix(err.Error(), "execution error at ") {
				t.Errorf("%s with %q: %v", set, text, err)
			}
			if isSection {
				empty(below, at...)
			}
		}
	}
	empty(loaded.Values)
}
