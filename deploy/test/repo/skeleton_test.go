package repo_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

// skeleton is what a service declares, and in which of its files: who knows one
// service finds the way in another.
var skeleton = []struct {
	declares *regexp.Regexp
	file     string // SERVICE is the service's name
	optional bool
}{
	{regexp.MustCompile(`(?m)^func New\(ctx context\.Context, cfg Config, `), "SERVICE.go", false},
	{regexp.MustCompile(`(?m)^func Spec\(\) spec\.Service \{`), "SERVICE.go", false},
	{regexp.MustCompile(`(?m)^type Config struct \{`), "config.go", false},
	{regexp.MustCompile(`(?m)^func \(\w+ Config\) (?:Validate|Migrate)\(`), "config.go", false},
	{regexp.MustCompile(`(?m)^func Commands\(\) \[\]service\.Command \{`), "commands.go", true},
	{regexp.MustCompile(`(?m)^func \w+\(\) service\.Command \{`), "commands_*.go", true},
	{regexp.MustCompile(`(?m)^func Policy\(\) authn\.Policy \{`), "internal/api/policy.go", false},
}

func TestServicesHaveOneSkeleton(t *testing.T) {
	for _, service := range services.Names() {
		for _, part := range skeleton {
			pattern := filepath.Join(root(t), "services", service, strings.ReplaceAll(part.file, "SERVICE", service))
			files, err := filepath.Glob(filepath.Join(filepath.Dir(pattern), "*.go"))
			errtest.None(t, err)
			found := false
			for _, file := range files {
				if strings.HasSuffix(file, "_test.go") || !part.declares.MatchString(contentOf(t, file)) {
					continue
				}
				if found, err = filepath.Match(pattern, file); err != nil || !found {
					t.Errorf("%s declares what belongs in %s: %s", file, part.file, part.declares)
				}
				found = true
			}
			if !found && !part.optional {
				t.Errorf("%s: no %s", pattern, part.declares)
			}
		}
	}
}
