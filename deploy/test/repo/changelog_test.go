package repo_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

// TestAReleaseHasItsSectionOfTheChangelog: the workflow publishes what the script prints.
func TestAReleaseHasItsSectionOfTheChangelog(t *testing.T) {
	if !strings.Contains(contentOf(t, filepath.Join(root(t), ".github", "workflows", "release.yml")), `.github/release-notes.sh "${GITHUB_REF_NAME#v}" >dist/notes.md`) {
		t.Error("release.yml takes its notes from elsewhere")
	}
	notes := func(version string) (string, error) {
		out, err := exec.Command(filepath.Join(root(t), ".github", "release-notes.sh"), version).Output()
		return string(out), err
	}
	version := released(t)
	text, err := notes(version)
	if err != nil || !strings.Contains(text, "### ") || strings.Contains(text, "\n## ") {
		t.Errorf("%v, %q", err, text)
	}
	if text, err := notes("0.0.0"); err == nil {
		t.Errorf("a version without a section has the notes %q", text)
	}
}

// TestEverythingNamesTheSameVersion: `make release` changes all at once.
func TestEverythingNamesTheSameVersion(t *testing.T) {
	version, named := released(t), map[string]string{}
	var chart struct {
		Version    string
		AppVersion string `yaml:"appVersion"`
	}
	errtest.None(t, yaml.Unmarshal([]byte(contentOf(t, filepath.Join(root(t), "helm", "fledge", "Chart.yaml"))), &chart))
	named["the chart"], named["the chart's appVersion"] = chart.Version, chart.AppVersion
	for _, service := range services.Names() {
		file := filepath.Join("services", service, "internal", "store", "testdata", "previous.json")
		var previous struct{ Version string }
		errtest.None(t, json.Unmarshal([]byte(contentOf(t, filepath.Join(root(t), file))), &previous))
		named[file] = previous.Version
	}
	for who, names := range named {
		if names != version {
			t.Errorf("%s names version %s, CHANGELOG.md %s: run `make release VERSION=%s`", who, names, version, version)
		}
	}
}

// released is the newest version in the changelog.
func released(t *testing.T) string {
	t.Helper()
	heading := regexp.MustCompile(`(?m)^## \[(\d.*)\] - \d{4}-\d\d-\d\d$`).FindStringSubmatch(contentOf(t, filepath.Join(root(t), "CHANGELOG.md")))
	if heading == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	return heading[1]
}
