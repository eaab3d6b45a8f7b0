//go:build !linux

package subprocess

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// startTime is when a process started, as ps tells it; "" when there is none.
func startTime(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// parents tells of every process whose child it is.
func parents() map[int]int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	found := map[int]int{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			pid, _ := strconv.Atoi(fields[0])
			found[pid], _ = strconv.Atoi(fields[1])
		}
	}
	return found
}

// Runs tells whether a process was started as the program of that base name
// with, among its arguments, arg.
func Runs(pid int, program, arg string) bool {
	out, err := exec.Command("ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	path, args, found := strings.Cut(string(out), " ")
	return err == nil && found && filepath.Base(path) == program && strings.Contains(args, arg)
}
