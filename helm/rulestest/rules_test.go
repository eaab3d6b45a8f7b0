package rulestest

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestRules runs each file of tests beside this one. They are in promtool's format,
// so `promtool test rules helm/rulestest/*.yaml` runs them too.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("*_test.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	covered := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var plan plan
		if err := yaml.Unmarshal(content, &plan); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		groups, err := load(plan.RuleFiles)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range plan.Tests {
			t.Run(test.Name, func(t *testing.T) {
				for _, problem := range test.run(t.Context(), groups, plan.EvaluationInterval, covered) {
					t.Error(problem)
				}
			})
		}
	}
	everyAlertFires(t, covered)
}

// everyAlertFires also fails for a rule file that no test reads.
func everyAlertFires(t *testing.T, covered map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("../fledge/files/rules/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	groups, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" && !covered[rule.Alert] {
				t.Errorf("no test has %s fire", rule.Alert)
			}
		}
	}
}
