package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"fledge.dev/services/platform/waittest"
)

// parts of the dashboard's statistics, by whether they are there.
func (g *gateway) parts(token string) (stats map[string]json.RawMessage, missing []string) {
	g.t.Helper()
	a := g.get("/api/get-admin-stats", bearer(token)).is(http.StatusOK)
	if err := json.Unmarshal(a.body, &stats); err != nil {
		g.t.Fatal(err)
	}
	for name, part := range stats {
		if string(part) == "null" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return stats, missing
}

// awaitParts asks until exactly these are missing: on a busy machine another one may
// be late.
func (g *gateway) awaitParts(token string, want ...string) (stats map[string]json.RawMessage) {
	g.t.Helper()
	waittest.Eventually(g.t, fmt.Sprint("statistics without ", want), func() bool {
		var missing []string
		stats, missing = g.parts(token)
		return slices.Equal(missing, want)
	})
	return stats
}

func TestAdminStatsComeFromAllServices(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	stats := g.awaitParts(admin)
	if len(stats) != 5 {
		t.Fatalf("%d parts", len(stats))
	}
	var waitlist struct {
		Total, Pending, Approved, Rejected int
		Days                               []struct {
			Day       string
			SignUps   int `json:"sign_ups"`
			Approvals int
		}
	}
	if err := json.Unmarshal(stats["waitlist"], &waitlist); err != nil {
		t.Fatal(err)
	}
	if last := waitlist.Days[29]; waitlist.Total != 6 || waitlist.Pending != 1 || waitlist.Approved != 2 || waitlist.Rejected != 3 || last.Day != "2026-11-21" || last.SignUps != 29 || last.Approvals != 1 {
		t.Errorf("the waitlist: %+v", waitlist)
	}
	var credits struct{ Spent json.Number }
	if err := json.Unmarshal(stats["credits"], &credits); err != nil || credits.Spent != "12.34" {
		t.Errorf("credits %s, %v", stats["credits"], err)
	}
}

func TestAPartIsMissingWhileItsServiceIsAway(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for _, tt := range []struct {
		fail    *calls
		missing []string
	}{
		{&g.waitlist.calls, []string{"waitlist"}},
		{&g.billing.calls, []string{"credits", "subscriptions"}},
		{&g.support.calls, []string{"tickets"}},
		{&g.releases.calls, []string{"downloads"}},
	} {
		tt.fail.fail(errAway)
		g.awaitParts(admin, tt.missing...)
		tt.fail.fail(nil)
	}
	g.billing.unsummed.Store(true)
	g.awaitParts(admin, "credits")
	g.billing.unsummed.Store(false)
	g.waitlist.slow.Store(true)
	g.awaitParts(admin, "waitlist")
}
