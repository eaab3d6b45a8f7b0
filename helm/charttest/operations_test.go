package charttest

import (
	"strings"
	"testing"
)

// sectionOf is the text of a document from a heading to the next one of its level or above it.
func sectionOf(t *testing.T, file, heading string) string {
	t.Helper()
	_, section, found := strings.Cut(contentOf(t, "../../deploy/docs/"+file), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no %q", file, heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	for above := level; above != "#"; above = above[1:] {
		section, _, _ = strings.Cut(section, "\n"+above+" ")
	}
	return section
}

const restore = "## Backup and point-in-time recovery"

// TestWhoScalesUpAgainIsStoppedFirst: Flux, Argo CD and KEDA undo what a restore scales to 0.
func TestWhoScalesUpAgainIsStoppedFirst(t *testing.T) {
	whole, one := sectionOf(t, "operations.md", restore), sectionOf(t, "operations.md", "### One database alone")
	before, after, _ := strings.Cut(whole, "--replicas 0")
	for _, stop := range []string{"paused-replicas=0", "flux suspend", "syncPolicy.automated"} {
		if !strings.Contains(before, stop) {
			t.Errorf("a restore scales to 0 before %s", stop)
		}
	}
	if !strings.Contains(after, "paused-replicas-`") {
		t.Error("KEDA stays paused")
	}
	before, _, _ = strings.Cut(one, "--replicas 0")
	for _, who := range []string{"Flux", "Argo CD", "KEDA"} {
		if !strings.Contains(before, who) {
			t.Errorf("%s scales the service of one database up", who)
		}
	}
	if !strings.Contains(sectionOf(t, "other-clusters.md", "## KEDA"), "(operations.md#backup-and-point-in-time-recovery)") {
		t.Error("KEDA's section does not lead to the restore")
	}
}

// TestWhatIsRestoredIsBackedUp: the plan of backups names a cluster, and a new one has no backup before which its WAL counts.
func TestWhatIsRestoredIsBackedUp(t *testing.T) {
	section := sectionOf(t, "operations.md", restore)
	_, after, _ := strings.Cut(section, "--replicas 0")
	for _, want := range []string{"kubectl patch scheduledbackup fledge-pg ", "kind: Backup\n   metadata: {name: fledge-pg-2}", "cluster: {name: fledge-pg-2}\n     method: plugin"} {
		if !strings.Contains(after, want) {
			t.Errorf("no %q", want)
		}
	}
	if !strings.Contains(section, "fledge-pg-3") {
		t.Error("the next restore has no name of its own")
	}
}

// TestNginxLeavesTheSitesHeader by the documented setting: its own has `includeSubDomains`, whatever site.hstsSubdomains is.
func TestNginxLeavesTheSitesHeader(t *testing.T) {
	for line := range strings.Lines(sectionOf(t, "other-clusters.md", "## Ingress controllers and load balancers")) {
		if strings.HasPrefix(line, "| ingress-nginx |") && strings.Contains(line, "`hsts: \"false\"`") && strings.Contains(line, "`site.hstsSubdomains`") {
			return
		}
	}
	t.Error("the row of ingress-nginx does not say how the site's header reaches browsers")
}

// TestANumberThatOthersHaveSetIsOverwritten: Helm 4 applies as the API server does, which refuses a field of somebody else's.
func TestANumberThatOthersHaveSetIsOverwritten(t *testing.T) {
	for what, text := range map[string]string{
		"the restore":        sectionOf(t, "operations.md", restore),
		"a second region":    sectionOf(t, "scaling.md", "### 4. Regions"),
		"the chart's values": contentOf(t, chartDir+"/values.yaml"),
	} {
		if !strings.Contains(text, "`--force-conflicts`") {
			t.Errorf("%s: an upgrade stops with a conflict", what)
		}
	}
}

// TestTheSuperuserHasAPassword before one database is put back, which CloudNativePG gives none by itself.
func TestTheSuperuserHasAPassword(t *testing.T) {
	before, _, _ := strings.Cut(sectionOf(t, "operations.md", "### One database alone"), "deploy/cluster/restore-one.sh support")
	for _, want := range []string{`"enableSuperuserAccess":true`, "get secret fledge-pg-superuser"} {
		if !strings.Contains(before, want) {
			t.Errorf("no %s", want)
		}
	}
}
