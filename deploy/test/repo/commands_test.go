package repo_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestCommandsOfTheGuidesHaveTheirWord: dead-letters and mails alone are mistakes.
func TestCommandsOfTheGuidesHaveTheirWord(t *testing.T) {
	words := map[string]string{"dead-letters": "list redrive drop", "mails": "list resend drop preview test"}
	command := regexp.MustCompile(`(?:/fledge|\$service|SERVICE) (dead-letters|mails)\b\s*([a-z]*)`)
	list := exec.CommandContext(t.Context(), "git", "ls-files", "deploy/*.md", "deploy/*.sh")
	list.Dir = root(t)
	names, err := list.Output()
	errtest.None(t, err)
	found := 0
	for name := range strings.FieldsSeq(string(names)) {
		for _, m := range command.FindAllStringSubmatch(contentOf(t, filepath.Join(list.Dir, name)), -1) {
			found++
			if m[2] == "" || !strings.Contains(" "+words[m[1]]+" ", " "+m[2]+" ") {
				t.Errorf("%s: %q does nothing", name, m[0])
			}
		}
	}
	if found == 0 {
		t.Error("no guide has such a command")
	}
}
