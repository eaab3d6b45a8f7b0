package product

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEachTargetWritesItsPartOfTheResults(t *testing.T) {
	dir := t.TempDir()
	for part, text := range map[string]string{growth: growth + "\n\nolder\n", largest: largest + "\n\nby hand\n", footprint: footprint + "\n\nsmall\n", launch: launch + "\n\nfast\n"} {
		if err := put(dir, part, text); err != nil {
			t.Fatal(err)
		}
	}
	g := Group{Name: "Sign-up", Loads: []Load{{Name: "pgbench"}, {Name: "POST /api/add-waitlist-user"}}}
	s := func(rate float64) []Sample {
		return []Sample{{PerSecond: rate, CPU: map[string]time.Duration{"gateway": 100 * time.Microsecond}}}
	}
	report := Report{Results: []Result{{Group: g, Samples: [][]Sample{s(100), s(55)}}}, notes: []string{"a note"}}
	for range 2 { // the second takes the place of the first
		if err := report.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(dir, growth, growth+"\n\nnewer\n"); err != nil {
		t.Fatal(err)
	}
	if err := plot(dir, []string{"a"}, map[string][]float64{"a": {1, 1.1, 1.2}}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Results", "**0.55**", "≥ 0.50: met", "| POST /api/add-waitlist-user | 100 |", "- a note\n\n## Launch\n\nfast\n\n## Where the time goes\n\nby hand\n\n## Footprint\n\nsmall\n\n## Growth\n\nnewer\n"} {
		if strings.Count(string(content), want) != 1 {
			t.Errorf("not one %q in\n%s", want, content)
		}
	}
	if strings.Contains(string(content), "older") {
		t.Errorf("the older growth is still in\n%s", content)
	}
}
