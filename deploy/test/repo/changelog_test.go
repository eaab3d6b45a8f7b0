package repo_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	text, err := notes("Unreleased")
	if err != nil || !strings.Contains(text, "### ") || strings.Contains(text, "\n## ") {
		t.Errorf("%v, %q", err, text)
	}
	if text, err := notes("0.0.0"); err == nil {
		t.Errorf("a version without a section has the notes %q", text)
	}
}
