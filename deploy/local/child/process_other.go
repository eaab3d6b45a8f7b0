//go:build !linux

package child

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

// Runs tells whether a process was started as the program of that base name
// with, among its arguments, arg.
func Runs(pid int, program, arg string) bool {
	out, err := exec.Command("ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	path, args, found := strings.Cut(string(out), " ")
	return err == nil && found && filepath.Base(path) == program && strings.Contains(args, arg)
}
