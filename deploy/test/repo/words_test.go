package repo_test

import (
	"os/exec"
	"testing"
)

// TestNothingCitesWhatIsNotHere: the product was built from a text that is not in the
// repository. A reader is told the reason, not the number of a chapter of it.
func TestNothingCitesWhatIsNotHere(t *testing.T) {
	cmd := exec.Command("git", "-C", root(t), "grep", "-nIiE", `\bspec(ification)?,? (sections?|chapters?) `)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("give the reason instead:\n%s", out)
	} else if cmd.ProcessState.ExitCode() != 1 { // 1: nothing was found
		t.Fatalf("git grep: %v\n%s", err, out)
	}
}
