package product

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Goal is a ratio that a load has to reach, or an upper bound of milliseconds.
type Goal struct {
	Group, Load string
	AtLeast     float64
}

// goals are ratios to the first load of each group.
var goals = []Goal{
	{"Sign-up", signUpRoute, 0.50},
	{events, inOutbox, 0.90},
	{events, asItShips, 0.855}, // 0.95 of the row before
	{"Signed-in reads", userRoute, 0.15},
	{"Credits", "POST /api/consume-credits, 1000 accounts", 0.35},
	{"Feeds", "GET /api/updates/latest-mac.yml", 0.50},
	{"Feeds", "GET /api/get-latest-downloads", 0.50},
	{lists, listWithTotal, 5},
	{besidePocketBase, signUpRoute, 1.8},
	{besideDurable, signUpRoute, 3.5},
}

func goalOf(group, load string) (float64, bool) {
	for _, g := range goals {
		if g.Group == group && g.Load == load {
			return g.AtLeast, true
		}
	}
	return 0, false
}

// machine says where figures come from, without its name.
type machine struct {
	Date, Commit, CPU, Memory, Kernel, Go string
	// Load is the load average before and after.
	Load [2]string
}

func thisMachine() machine {
	return machine{
		Date: time.Now().UTC().Format("2006-01-02 15:04 UTC"), Commit: output("git", "rev-parse", "--short", "HEAD"), Go: runtime.Version(),
		CPU:    fmt.Sprintf("%d × %s", runtime.NumCPU(), field("/proc/cpuinfo", "model name")),
		Memory: field("/proc/meminfo", "MemTotal"), Kernel: output("uname", "-sr"), Load: [2]string{loadAverage(), ""},
	}
}

func output(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output() //nolint:noctx // ends by itself
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// field is the first value of a name in a file of "name: value" lines.
func field(file, name string) string {
	content, _ := os.ReadFile(file)
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func loadAverage() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(content))[0]
}

// table is a group as Markdown.
func (r Result) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", r.Group.Name)
	fmt.Fprintf(&b, "| load | per second | p50 ms | p99 ms | ratio (lowest to highest round) | goal | failed |\n|---|---:|---:|---:|---|---|---:|\n")
	for i, load := range r.Group.Loads {
		ratio, goal := "1", ""
		if i > 0 {
			s := r.Ratio(i)
			ratio = fmt.Sprintf("**%.2f** (%.2f to %.2f)", s.Median, s.Least, s.Most)
			if least, ok := goalOf(r.Group.Name, load.Name); ok {
				goal = fmt.Sprintf("≥ %.2f: %s", least, met(s.Median >= least))
			}
		}
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %s | %s | %d |\n", load.Name, r.Rate(i).Median, r.P50(i).Median, r.P99(i).Median, ratio, goal, r.Failed(i))
	}
	return b.String() + "\n" + r.costs()
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}

// costs tell where the CPU time of one operation goes. They hardly depend on the
// machine's other work.
func (r Result) costs() string {
	var parts []string
	for _, samples := range r.Samples {
		for _, s := range samples {
			for part := range s.CPU {
				if !slices.Contains(parts, part) {
					parts = append(parts, part)
				}
			}
		}
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return ""
	}
	cost := func(load int, part string) float64 {
		return r.each(load, func(s Sample) float64 { return float64(s.CPU[part]) / float64(time.Microsecond) }).Median
	}
	// Parts that do next to nothing for every load are left out.
	const least = 5
	parts = slices.DeleteFunc(parts, func(part string) bool {
		return !slices.ContainsFunc(indices(len(r.Group.Loads)), func(i int) bool { return cost(i, part) >= least })
	})
	var b strings.Builder
	fmt.Fprintf(&b, "CPU time of one operation, in µs:\n\n| load | %s |\n|---|%s\n", strings.Join(parts, " | "), strings.Repeat("---:|", len(parts)))
	for i, load := range r.Group.Loads {
		fmt.Fprintf(&b, "| %s |", load.Name)
		for _, part := range parts {
			fmt.Fprintf(&b, " %.0f |", cost(i, part))
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// noise is how far the rounds of one load lie apart: the middle one over all loads of
// their highest rate by their lowest.
func noise(results []Result) float64 {
	var all []float64
	for _, r := range results {
		for i := range r.Group.Loads {
			if rate := r.Rate(i); rate.Least > 0 {
				all = append(all, rate.Most/rate.Least)
			}
		}
	}
	return spread(all).Median
}
