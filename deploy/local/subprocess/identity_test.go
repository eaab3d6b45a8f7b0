package subprocess

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Containers often forbid user namespaces; this is what is left there.
func TestRootCanBecomeNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can become somebody else
	}
	cmd := exec.Command("id", "-u")
	asNobody().Apply(cmd)
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "65534" {
		t.Errorf("uid %s, %v", out, err)
	}
}
