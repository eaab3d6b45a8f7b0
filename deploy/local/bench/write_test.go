package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEachTargetWritesItsPartOfTheResults(t *testing.T) {
	dir := t.TempDir()
	if err := put(dir, "3-growth", "## Growth\n"); err != nil {
		t.Fatal(err)
	}
	g := Group{Name: "Sign-up", Loads: []Load{{Name: "pgbench"}, {Name: "POST /api/add-waitlist-user"}}}
	s := func(rate float64) []Sample {
		return []Sample{{PerSecond: rate, CPU: map[string]time.Duration{"gateway": 100 * time.Microsecond}}}
	}
	report := Report{Results: []Result{{Group: g, Samples: [][]Sample{s(100), s(55)}}}, notes: []string{"a note"}}
	if err := report.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := plot(dir, []string{"a"}, map[string][]float64{"a": {1, 1.1, 1.2}}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Results", "**0.55**", "≥ 0.50: met", "| POST /api/add-waitlist-user | 100 |", "- a note", "## Growth"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("no %q in\n%s", want, content)
		}
	}
}
