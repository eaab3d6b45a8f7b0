package subprocess_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// playFounder starts a program that leads a group of its own, as PostgreSQL's backends
// do, and tells its id.
func playFounder() {
	cmd := exec.Command("/bin/sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_, _ = os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	_, _ = os.Stdout.WriteString(strconv.Itoa(cmd.Process.Pid) + "\n")
	<-time.After(10 * time.Minute)
}

// state is a letter as ps shows it; "" when there is no such process.
func state(t *testing.T, pid int) string {
	t.Helper()
	out, _ := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output() // fails where there is none
	return strings.TrimSpace(string(out))
}

func TestWhatDescendsFromAChildSharesItsFate(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := start(t, subprocess.Spec{Name: "founder", Path: os.Args[0], Env: []string{roleEnv + "=founder"}, LogFile: log})
	pid := 0
	waittest.Eventually(t, "it has started another", func() bool {
		content, _ := os.ReadFile(log)
		pid, _ = strconv.Atoi(strings.TrimSuffix(string(content), "\n"))
		return pid > 0 && strings.HasSuffix(string(content), "\n")
	})
	errtest.None(t, p.Freeze())
	for _, frozen := range []int{p.PID(), pid} {
		waittest.Eventually(t, "both are frozen", func() bool { return strings.HasPrefix(state(t, frozen), "T") })
	}
	errtest.None(t, p.Thaw())
	for _, thawed := range []int{p.PID(), pid} {
		waittest.Eventually(t, "both go on", func() bool { return strings.HasPrefix(state(t, thawed), "S") })
	}
	errtest.None(t, p.Kill())
	if s := state(t, pid); s != "" && !strings.HasPrefix(s, "Z") {
		t.Errorf("process %d is in state %s", pid, s)
	}
}
