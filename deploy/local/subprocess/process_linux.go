package subprocess

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Fields of /proc/<pid>/stat after the command's closing parenthesis (proc(5)).
const (
	stateField     = 0
	parentField    = 1
	startTimeField = 19
)

// startTime is when a process started, in ticks since boot; "" when there is no
// such process or it is dead and only waits to be collected.
func startTime(pid int) string {
	fields := statFields(pid)
	if len(fields) <= startTimeField {
		return ""
	}
	return fields[startTimeField]
}

// statFields are nil when there is no such process or it is dead.
func statFields(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// The command may hold spaces and parentheses.
	_, tail, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(tail)
	if len(fields) <= parentField || fields[stateField] == "Z" || fields[stateField] == "X" {
		return nil
	}
	return fields
}

// parents tells of every process whose child it is.
func parents() map[int]int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	found := map[int]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if fields := statFields(pid); fields != nil {
			found[pid], _ = strconv.Atoi(fields[parentField])
		}
	}
	return found
}

// Runs tells whether a process was started as the program of that base name
// with, among its arguments, arg.
func Runs(pid int, program, arg string) bool {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return false
	}
	args := strings.Split(string(content), "\x00")
	return filepath.Base(args[0]) == program && slices.Contains(args[1:], arg)
}
