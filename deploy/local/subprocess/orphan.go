package subprocess

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const orphanPoll = 20 * time.Millisecond

// EndOrphan ends what a dead runner left: the process that pidFile names, if it
// is still the same process. Process ids are used again, so the file also holds
// the start time. It sends sig, waits, and kills after wait.
func EndOrphan(pidFile string, sig syscall.Signal, wait time.Duration) error {
	content, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	pid, started, ok := parsePIDFile(string(content))
	if ok && startTime(pid) == started {
		if err := End(pid, sig, wait); err != nil {
			return err
		}
	}
	return os.Remove(pidFile)
}

// End sends sig to a process that is not a child of this one and waits until it
// is gone; after wait it kills the process and its group.
func End(pid int, sig syscall.Signal, wait time.Duration) error {
	started := startTime(pid)
	alive := func() bool { return started != "" && startTime(pid) == started }
	if !alive() {
		return nil
	}
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end process %d of an earlier run: %w", pid, err)
	}
	deadline := time.After(wait)
	ticker := time.NewTicker(orphanPoll)
	defer ticker.Stop()
	for alive() {
		select {
		case <-deadline:
			return errors.Join(syscall.Kill(pid, syscall.SIGKILL), killGroup(pid))
		case <-ticker.C:
		}
	}
	return nil
}

func writePIDFile(path string, pid int) error {
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(fmt.Sprintf("%d %s\n", pid, startTime(pid))), 0o600)
}

func removePIDFile(path string) error {
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func parsePIDFile(content string) (pid int, started string, ok bool) {
	first, rest, found := strings.Cut(strings.TrimSpace(content), " ")
	pid, err := strconv.Atoi(first)
	return pid, rest, found && err == nil && pid > 1 && rest != ""
}
