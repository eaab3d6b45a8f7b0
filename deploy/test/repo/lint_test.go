package repo_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"fledge.dev/services/platform/errtest"
)

// TestExceptionsAreFromLintersThatRun: nolintlint finds a //nolint that is not needed
// only if its linter is enabled.
func TestExceptionsAreFromLintersThatRun(t *testing.T) {
	var settings struct {
		Linters struct {
			Default string
			Enable  []string
		}
	}
	errtest.None(t, yaml.Unmarshal([]byte(contentOf(t, filepath.Join(root(t), ".golangci.yml"))), &settings))
	if settings.Linters.Default != "standard" || !slices.Contains(settings.Linters.Enable, "nolintlint") {
		t.Fatalf("linters: %+v", settings.Linters)
	}
	run := append([]string{"errcheck", "govet", "ineffassign", "staticcheck", "unused"}, settings.Linters.Enable...)
	exception := regexp.MustCompile(`//nolint:([a-z0-9,]+)`)
	found := 0
	for _, path := range goFiles(t) {
		for _, m := range exception.FindAllStringSubmatch(contentOf(t, path), -1) {
			found++
			for linter := range strings.SplitSeq(m[1], ",") {
				if !slices.Contains(run, linter) {
					t.Errorf("%s: %s does not run", path, m[0])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no exception was found")
	}
}
