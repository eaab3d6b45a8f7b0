package product

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc (USER_HZ).
const tick = 10 * time.Millisecond

// usage is how much CPU time the parts of the product have taken so far, by name, the
// children of each counted with it. Linux only; elsewhere it is empty.
func usage(roots map[int]string) map[string]time.Duration {
	parents, times := map[int]int{}, map[int]time.Duration{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		if content, err := os.ReadFile(name); err == nil { // processes come and go
			readStat(content, parents, times)
		}
	}
	used := map[string]time.Duration{}
	for pid, took := range times {
		for ancestor := pid; ancestor > 1; ancestor = parents[ancestor] {
			if part, ok := roots[ancestor]; ok {
				used[part] += took
				break
			}
		}
	}
	return used
}

// readStat notes a process, see proc_pid_stat(5). The name in the second field may
// hold anything; what follows it does not. The time of children that were waited for counts.
func readStat(content []byte, parents map[int]int, times map[int]time.Duration) {
	end := bytes.LastIndexByte(content, ')')
	head, _, ok := bytes.Cut(content, []byte(" ("))
	pid, err := strconv.Atoi(string(head))
	if !ok || end < 0 || err != nil {
		return
	}
	fields := strings.Fields(string(content[end+1:]))
	const parent, user, childrenSystem = 1, 11, 14
	if len(fields) <= childrenSystem {
		return
	}
	parents[pid], _ = strconv.Atoi(fields[parent])
	for _, field := range fields[user : childrenSystem+1] {
		ticks, _ := strconv.ParseInt(field, 10, 64)
		times[pid] += time.Duration(ticks) * tick
	}
}

// parts are the product's processes by their ids.
func (p *product) parts() (map[int]string, error) {
	roots := map[int]string{os.Getpid(): "load generator"}
	for _, name := range append(programs(), "nats") {
		program, err := p.Program(name)
		if err != nil {
			return nil, err
		}
		roots[program.PID()] = name
	}
	// PostgreSQL is a child that the stack has, but not one to kill and restart.
	pids, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	for _, name := range pids {
		content, err := os.ReadFile(name)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && bytes.Contains(content, []byte(p.dataDir)) && strings.HasSuffix(string(bytes.SplitN(content, []byte{0}, 2)[0]), "/postgres") {
			roots[pid] = "postgres"
		}
	}
	if len(roots) < len(programs())+3 {
		return nil, fmt.Errorf("only %d processes of the product are found", len(roots))
	}
	maps.Copy(roots, p.peers)
	return roots, nil
}
