package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fledge.dev/deploy/local/state"
)

const head = `# Results

Written by ` + "`make bench`" + `; the method is in [README.md](README.md). A ratio is the middle one of the
rounds' ratios to the first load of its table.

- %s, commit %s
- %s, %s, %s, %s
- load average %s before, %s after; the rounds of one load lie %.2f× apart
- %d rounds of %s, %d connections. Everything on loopback, load generators included
- processes as they ship, all middleware and logs; mutual TLS between them, to NATS and to PostgreSQL
  (pgbench speaks TLS, too); fsync and synchronous_commit on

`

// section is a part of the results that a file of its own keeps, so that each target
// can write its own.
func section(dir, name string) string { return filepath.Join(dir, "results", name+".md") }

// sections are in the order of the results.
func sections() []string { return []string{"1-ratios", "2-footprint", "3-growth", "4-profiles"} }

// Write puts the ratios into the results and leaves the other parts as they are.
func (r Report) Write(dir string) error {
	m := r.machine
	var b strings.Builder
	fmt.Fprintf(&b, head, m.Date, m.Commit, m.CPU, m.Memory, m.Kernel, m.Go, m.Load[0], m.Load[1], noise(r.Results), r.plan.Rounds, r.plan.Length, clients)
	for _, result := range r.Results {
		b.WriteString(result.table())
	}
	for _, note := range r.notes {
		b.WriteString("- " + note + "\n")
	}
	return put(dir, "1-ratios", b.String())
}

// put replaces a section and writes the results anew.
func put(dir, name, text string) error {
	if err := os.MkdirAll(filepath.Dir(section(dir, name)), 0o755); err != nil {
		return err
	}
	if err := state.WriteFile(section(dir, name), []byte(text), 0o644); err != nil {
		return err
	}
	var parts []string
	for _, name := range sections() {
		content, err := os.ReadFile(section(dir, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		parts = append(parts, strings.TrimSpace(string(content)))
	}
	return state.WriteFile(filepath.Join(dir, "RESULTS.md"), []byte(strings.Join(parts, "\n\n")+"\n"), 0o644)
}
