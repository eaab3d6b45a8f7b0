package product

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// put replaces a section of the results, or adds it, and leaves the others as they are.
func (o Options) put(section, text string) error {
	content, err := os.ReadFile(o.path("RESULTS.md"))
	if err != nil {
		return err
	}
	const mark = "\n## "
	text = section + "\n\n" + strings.TrimSpace(text) + "\n"
	sections := strings.Split(string(content), mark)
	if at := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, section+"\n") }); at >= 0 {
		sections[at] = text
	} else {
		sections = append(sections, text)
	}
	return renameio.WriteFile(o.path("RESULTS.md"), []byte(strings.Join(sections, mark)), 0o644)
}

// table is a group as Markdown.
func (r Result) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n| load | per second | p50 ms | p99 ms | ratio | goals | failed | CPU µs |\n|---|---:|---:|---:|---|---|---:|---|\n", r.Group.Name)
	for i, load := range r.Group.Loads {
		ratio, failed := "1", int64(0)
		if s := r.Ratio(i); i > 0 {
			ratio = fmt.Sprintf("**%.2f** (%.2f to %.2f)", s.Median, s.Least, s.Most)
		}
		for _, s := range r.Samples[i] {
			failed += s.Failed
		}
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %s | %s | %d | %s |\n", load.Name, r.of(i, rate).Median, r.of(i, p50).Median, r.of(i, p99).Median,
			ratio, r.goals(i), failed, r.costs(i))
	}
	return b.String() + "\n"
}

// goals tells of each goal of a load whether it is met.
func (r Result) goals(load int) string {
	var told []string
	goal := r.Group.Loads[load].Goal
	if goal.Rate > 0 {
		told = append(told, fmt.Sprintf("ratio ≥ %.2f: %s", goal.Rate, met(r.Ratio(load).Median >= goal.Rate)))
	}
	latency := func(name string, figure func(Sample) float64, most float64) {
		if times := r.of(load, figure).Median / r.of(0, figure).Median; most > 0 {
			told = append(told, fmt.Sprintf("%s ≤ %.0f×: %s (%.1f×)", name, most, met(times <= most), times))
		}
	}
	latency("p50", p50, goal.P50)
	latency("p99", p99, goal.P99)
	return strings.Join(told, "; ")
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}

// costs are the CPU times of one operation. They hardly depend on the machine's other
// work. Programs that do next to nothing are left out.
func (r Result) costs(load int) string {
	const least = 5
	var told []string
	for _, program := range slices.Sorted(maps.Keys(r.Samples[load][0].CPU)) {
		if cost := r.of(load, func(s Sample) float64 { return s.CPU[program] }).Median; cost >= least {
			told = append(told, fmt.Sprintf("%s %.0f", program, cost))
		}
	}
	return strings.Join(told, ", ")
}

// machine says where and when figures come from, without the machine's name.
func machine(ctx context.Context) string {
	return shell(ctx, `date -u '+%F %R UTC'; echo commit $(git rev-parse --short HEAD)
		echo $(nproc) × $(sed -n '/^model name/{s/.*: //p;q}' /proc/cpuinfo); awk '/^MemTotal/ {print $2, $3}' /proc/meminfo
		uname -sr; go env GOVERSION`) + ", load average " + loadAverage(ctx) + " before"
}

func loadAverage(ctx context.Context) string { return shell(ctx, "cut -d' ' -f1 /proc/loadavg") }

// shell runs commands and returns the lines that they print, with commas between them.
func shell(ctx context.Context, commands string) string {
	out, _ := exec.CommandContext(ctx, "sh", "-c", commands).Output()
	return strings.Join(strings.Split(strings.TrimSpace(string(out)), "\n"), ", ")
}
