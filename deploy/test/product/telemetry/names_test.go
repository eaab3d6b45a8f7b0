package telemetry

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/metrics"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	rulesDir      = "../../../../helm/fledge/files/rules"
	dashboardsDir = "../../../../helm/fledge/files/dashboards"
	runbooksDir   = "../../../docs/runbooks"
)

type rule struct {
	Alert, Record, Expr string
	Annotations         map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	for _, content := range contents(t, rulesDir, "*.yaml") {
		var file struct{ Groups []struct{ Rules []rule } }
		errtest.None(t, yaml.Unmarshal(content, &file))
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	return all
}

// contents reads the files, of which there must be some.
func contents(t *testing.T, dir, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		if all[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestEveryAlertHasItsPage(t *testing.T) {
	pages := contents(t, runbooksDir, "*.md")
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		page := filepath.Join(runbooksDir, r.Alert+".md")
		text, ok := pages[page]
		if !ok || r.Annotations["runbook_url"] != "deploy/docs/runbooks/"+r.Alert+".md" {
			t.Errorf("%s has no page, or names another: %q", r.Alert, r.Annotations["runbook_url"])
		}
		for _, part := range []string{"# " + r.Alert + "\n", "\n## See\n", "\n```", "\n## Do\n"} {
			if !strings.Contains(string(text), part) {
				t.Errorf("the page of %s lacks %q", r.Alert, part)
			}
		}
		for line := range strings.Lines(string(text)) {
			// Asked for by label, kubectl shows ten lines of each pod.
			if strings.Contains(line, " logs -l ") && !strings.Contains(line, " --tail=") {
				t.Errorf("the page of %s sees the last ten lines only: %s", r.Alert, line)
			}
		}
		delete(pages, page)
	}
	for page := range pages {
		t.Errorf("%s is the page of no alert", filepath.Base(page))
	}
}

// queries are all expressions of rules, dashboards and pages, by where they stand.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, r := range rules(t) {
		all["rule "+r.Alert+r.Record] = r.Expr
	}
	for file, content := range contents(t, dashboardsDir, "*.json") {
		var dashboard struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(content, &dashboard); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				all[filepath.Base(file)+": "+panel.Title+": "+target.Expr] = target.Expr
			}
		}
	}
	block := regexp.MustCompile("(?s)```promql\n(.*?)```")
	for file, content := range contents(t, runbooksDir, "*.md") {
		for _, found := range block.FindAllSubmatch(content, -1) {
			all[filepath.Base(file)] += string(found[1])
		}
	}
	return all
}

var (
	labelParts = regexp.MustCompile(`"[^"]*"|\{[^}]*\}|\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)`)
	name       = regexp.MustCompile(`\b[a-z][a-z0-9_:]*[_:][a-z0-9_:]+\b`)
	function   = regexp.MustCompile(`\b[a-z_]+\(`)
	suffix     = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// metricsOf names the metrics that a query asks for.
func metricsOf(query string) []string {
	bare := function.ReplaceAllString(labelParts.ReplaceAllString(query, " "), "(")
	var names []string
	for _, n := range name.FindAllString(bare, -1) {
		names = append(names, suffix.ReplaceAllString(n, ""))
	}
	return names
}

func TestMetricsOf(t *testing.T) {
	query := `histogram_quantile(0.99, sum by (le, job_name) (rate(a_seconds_bucket{x_y="b_total"}[5m]))) / on (job) c:d_total > 1`
	if got := metricsOf(query); !slices.Equal(got, []string{"a_seconds", "c:d_total"}) {
		t.Errorf("got %v", got)
	}
}

// allAreThere fails for a metric that nobody exposes and no rule records. Some are
// there when something has happened first, such as Kratos' first comparison.
func allAreThere(t *testing.T, s *stack.Stack) {
	asked, all := 0, queries(t)
	waittest.Seen(t, "the metrics of all queries", func() (bool, string) {
		known, missing := exposed(t, s), ""
		for _, r := range rules(t) {
			known[r.Record] = true
		}
		for where, query := range all {
			for _, metric := range metricsOf(query) {
				asked++
				if !known[metric] {
					missing += where + ": nothing exposes " + metric + "\n"
				}
			}
		}
		return missing == "", missing
	})
	if asked < 100 {
		t.Errorf("only %d metrics were found in all queries", asked)
	}
}

// exposed scrapes every process.
func exposed(t *testing.T, s *stack.Stack) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	urls := s.MetricsURLs()
	urls["the front door"] = s.FrontDoorMetricsURL()
	for service, url := range urls {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		errtest.None(t, err)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", service, err)
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if n := name.FindString(lines.Text()); n != "" && !strings.HasPrefix(lines.Text(), "#") {
				found[suffix.ReplaceAllString(n, "")] = true
			}
		}
		_ = resp.Body.Close()
	}
	return found
}

// everyTaskHasARow of the runbook's table.
func everyTaskHasARow(t *testing.T, s *stack.Stack) {
	page, err := os.ReadFile(filepath.Join(runbooksDir, "PeriodicTaskOverdue.md"))
	errtest.None(t, err)
	tasks := 0
	for service, url := range s.MetricsURLs() {
		families, err := metrics.Scrape(t.Context(), url)
		if err != nil {
			t.Fatalf("%s: %v", service, err)
		}
		for _, m := range families["periodic_interval_seconds"].GetMetric() {
			tasks++
			if task := m.GetLabel()[0].GetValue(); !strings.Contains(string(page), "`"+task+"`") {
				t.Errorf("PeriodicTaskOverdue.md does not say what it means without %s's %s", service, task)
			}
		}
	}
	if tasks < 20 {
		t.Errorf("only %d tasks were found", tasks)
	}
}
