package house_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNothingCitesWhatIsNotHere: the product was built from a text that is not in the
// repository. A reader is told the reason, not the number of a chapter of it.
func TestNothingCitesWhatIsNotHere(t *testing.T) {
	out, err := exec.Command("git", "-C", root(t), "grep", "-nIiE", `\bspec(ification)?,? (sections?|chapters?) `).CombinedOutput()
	if err == nil {
		t.Errorf("give the reason instead:\n%s", out)
	} else if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Fatalf("git grep: %v\n%s", err, strings.TrimSpace(string(out)))
	}
}
