package subprocess_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
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

// roleEnv turns the test binary into one of the programs that the tests run.
const roleEnv = "CHILD_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "deaf":
		playDeaf()
	case "runner":
		playRunner()
	case "founder":
		playFounder()
	}
}

// playDeaf ignores the polite request to end.
func playDeaf() {
	signal.Ignore(syscall.SIGTERM)
	_, _ = os.Stdout.WriteString("deaf\n")
	<-time.After(time.Minute)
}

// playRunner starts a child and tells its id, then waits to be killed.
func playRunner() {
	p, err := subprocess.Start(subprocess.Spec{Name: "sleep", Path: "/bin/sleep", Args: []string{"600"}, PIDFile: os.Getenv("PID_FILE")})
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	_, _ = os.Stdout.WriteString(strconv.Itoa(p.PID()) + "\n")
	<-time.After(time.Minute)
}

func start(t *testing.T, spec subprocess.Spec) *subprocess.Process {
	t.Helper()
	p, err := subprocess.Start(spec)
	errtest.None(t, err)
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestStopEndsTheChildAndForgetsIt(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	p := start(t, subprocess.Spec{Name: "sleep", Path: "/bin/sleep", Args: []string{"600"}, PIDFile: pidFile})
	errtest.None(t, p.Stop(t.Context()))
	if !gone(p.PID()) {
		t.Error("the child still runs")
	}
	if _, err := os.Stat(pidFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("PID file: %v", err)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("a signal to an ended child: %v", err)
	}
}

func TestStopEndsWhatTheChildStarted(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := start(t, subprocess.Spec{Name: "sh", Path: "/bin/sh", Args: []string{"-c", "sleep 600 & echo $!; exec sleep 600"}, LogFile: log})
	var grandchild int
	waittest.Eventually(t, "the grandchild's id is logged", func() bool {
		content, err := os.ReadFile(log)
		if err != nil {
			return false
		}
		grandchild, err = strconv.Atoi(strings.TrimSpace(string(content)))
		return err == nil
	})
	errtest.None(t, p.Stop(t.Context()))
	waittest.Eventually(t, "the grandchild ends", func() bool { return gone(grandchild) || defunct(grandchild) })
}

// defunct processes have ended; whoever adopted them did not collect them yet.
func defunct(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

func TestStopKillsAChildThatDoesNotListen(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := start(t, subprocess.Spec{
		Name: "deaf", Path: os.Args[0], Env: []string{roleEnv + "=deaf"}, LogFile: log, StopTimeout: 50 * time.Millisecond,
	})
	waittest.Eventually(t, "the child ignores SIGTERM", func() bool {
		content, _ := os.ReadFile(log)
		return strings.Contains(string(content), "deaf")
	})
	if err := p.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "deaf did not stop in time") {
		t.Errorf("got %v", err)
	}
	if !gone(p.PID()) {
		t.Error("the child still runs")
	}
}

func TestTheChildGetsNothingOfTheRunnersEnvironment(t *testing.T) {
	t.Setenv("RUNNERS_SECRET", "hunter2")
	log := filepath.Join(t.TempDir(), "log")
	p := start(t, subprocess.Spec{Name: "env", Path: "/usr/bin/env", LogFile: log})
	<-p.Done()
	if content, err := os.ReadFile(log); err != nil || len(content) != 0 {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestErrTellsHowTheChildEnded(t *testing.T) {
	p := start(t, subprocess.Spec{Name: "false", Path: "/bin/sh", Args: []string{"-c", "exit 3"}})
	<-p.Done()
	var exit *exec.ExitError
	if !errors.As(p.Err(), &exit) || exit.ExitCode() != 3 {
		t.Errorf("got %v", p.Err())
	}
}

func TestStartNamesTheProgramThatIsMissing(t *testing.T) {
	_, err := subprocess.Start(subprocess.Spec{Name: "kratos", Path: "/does/not/exist"})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "kratos") {
		t.Errorf("got %v", err)
	}
}

func TestNothingOutlivesAKilledRunner(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	runner := exec.Command(os.Args[0])
	runner.Env = []string{roleEnv + "=runner", "PID_FILE=" + pidFile}
	out, err := runner.StdoutPipe()
	errtest.None(t, err)
	errtest.None(t, runner.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	errtest.None(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the runner said %q", line)
	}
	errtest.None(t, runner.Process.Kill())
	_ = runner.Wait()
	errtest.None(t, subprocess.EndOrphan(pidFile, syscall.SIGTERM, 5*time.Second))
	waittest.Eventually(t, "the orphan ends", func() bool { return gone(pid) || defunct(pid) })
	if _, err := os.Stat(pidFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("PID file: %v", err)
	}
}

func TestEndOrphanSparesAnotherProcessWithTheSameID(t *testing.T) {
	p := start(t, subprocess.Spec{Name: "sleep", Path: "/bin/sleep", Args: []string{"600"}})
	pidFile := filepath.Join(t.TempDir(), "pid")
	errtest.None(t, os.WriteFile(pidFile, []byte(strconv.Itoa(p.PID())+" 12345\n"), 0o600))
	errtest.None(t, subprocess.EndOrphan(pidFile, syscall.SIGKILL, time.Second))
	select {
	case <-p.Done():
		t.Error("a stranger was killed")
	default:
	}
}

func TestEndOrphanTakesAMissingOrBrokenFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	broken := filepath.Join(t.TempDir(), "broken")
	errtest.None(t, os.WriteFile(broken, []byte("-1 -1"), 0o600))
	for _, file := range []string{missing, broken} {
		if err := subprocess.EndOrphan(file, syscall.SIGKILL, time.Second); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

func TestUnprivilegedIsNotRoot(t *testing.T) {
	id, err := subprocess.Unprivileged(t.TempDir(), "/bin/sh", "-c", "test $(id -u) -ne 0")
	errtest.None(t, err)
	if (id != nil) != (os.Geteuid() == 0) {
		t.Errorf("identity %v for uid %d", id, os.Geteuid())
	}
	log := filepath.Join(t.TempDir(), "log")
	p := start(t, subprocess.Spec{Name: "id", Path: "/usr/bin/id", Args: []string{"-u"}, LogFile: log, Identity: id})
	<-p.Done()
	if content, err := os.ReadFile(log); err != nil || strings.TrimSpace(string(content)) == "0" {
		t.Errorf("uid %q, %v", content, err)
	}
}

func TestStopHeedsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := start(t, subprocess.Spec{Name: "sleep", Path: "/bin/sh", Args: []string{"-c", "trap '' TERM; sleep 600"}})
	_ = p.Stop(ctx)
	if !gone(p.PID()) {
		t.Error("the child still runs")
	}
}
