package subprocess_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

func sleeper(t *testing.T) *subprocess.Program {
	t.Helper()
	p := subprocess.NewProgram("sleeper", func(context.Context) (*subprocess.Process, error) {
		return subprocess.Start(subprocess.Spec{Name: "sleeper", Path: "/bin/sleep", Args: []string{"600"}, StopTimeout: time.Minute})
	})
	errtest.None(t, p.Start(t.Context()))
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	return p
}

func TestRestartIsAnotherProcess(t *testing.T) {
	p := sleeper(t)
	first, gone := p.PID(), p.Done()
	errtest.None(t, p.Restart(t.Context()))
	select {
	case <-gone:
	default:
		t.Error("the first still runs")
	}
	if p.PID() == first || p.PID() == 0 {
		t.Errorf("process %d after %d", p.PID(), first)
	}
}

func TestWhatDoesNotRunCannotBeKilledButStopped(t *testing.T) {
	p := sleeper(t)
	errtest.None(t, p.Kill())
	for name, act := range map[string]func() error{"kill": p.Kill, "pause": p.Pause, "resume": p.Resume} {
		if err := act(); err == nil || !strings.Contains(err.Error(), "sleeper does not run") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("stop: %v", err)
	}
	if p.PID() != 0 || p.Done() != nil {
		t.Error("a dead process is remembered")
	}
}

func TestStartTwiceIsRefused(t *testing.T) {
	p := sleeper(t)
	if err := p.Start(t.Context()); err == nil {
		t.Error("two processes under one name")
	}
}

func TestPauseFreezesAndStopEndsAFrozenProgram(t *testing.T) {
	p := sleeper(t)
	errtest.None(t, p.Pause())
	state := func() string {
		out, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/stat")
		if err != nil {
			return "" // no /proc on this system
		}
		return strings.Fields(string(out))[2]
	}
	waittest.Seen(t, "it stands still", func() (bool, string) {
		now := state()
		return now == "T" || now == "", now
	})
	began := time.Now()
	errtest.None(t, p.Stop(t.Context()))
	if time.Since(began) > 50*time.Second {
		t.Error("the frozen program had to be killed")
	}
}
