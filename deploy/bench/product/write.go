package product

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
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

// The parts of the results, each written by a target of its own: the ratios come first
// and have no heading of their own. People write where the time goes.
const (
	ratios    = ""
	largest   = "## Where the time goes"
	footprint = "## Footprint"
	growth    = "## Growth"
	launch    = "## Launch"
)

var order = []string{ratios, launch, largest, footprint, growth}

// Write puts the ratios into the results and leaves the other parts as they are.
func (r Report) Write(dir string) error {
	m := r.machine
	var b strings.Builder
	fmt.Fprintf(&b, head, m.Date, m.Commit, m.CPU, m.Memory, m.Kernel, m.Go, m.Load[0], m.Load[1], noise(r.Results), r.plan.Rounds, r.plan.Length, clients)
	for _, result := range r.Results {
		b.WriteString(result.table())
	}
	b.WriteString(beside(r.Results))
	for _, note := range r.notes {
		b.WriteString("- " + note + "\n")
	}
	return put(dir, ratios, b.String())
}

// put replaces a part of the results and leaves the others as they are.
func put(dir, part, text string) error {
	file := filepath.Join(dir, "RESULTS.md")
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parts, current := map[string]string{}, ratios
	for line := range strings.Lines(string(content)) {
		if heading := strings.TrimSpace(line); slices.Contains(order[1:], heading) {
			current = heading
		}
		parts[current] += line
	}
	parts[part] = text
	var all []string
	for _, name := range order {
		if written := strings.TrimSpace(parts[name]); written != "" {
			all = append(all, written)
		}
	}
	return renameio.WriteFile(file, []byte(strings.Join(all, "\n\n")+"\n"), 0o644)
}
