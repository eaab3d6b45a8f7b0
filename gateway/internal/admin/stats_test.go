package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// parts of the dashboard's statistics, by whether they are there.
func parts(g *apitest.Gateway, token string) (stats map[string]json.RawMessage, missing []string) {
	g.T.Helper()
	a := g.Get("/api/get-admin-stats", apitest.Bearer(token)).Is(http.StatusOK)
	if err := json.Unmarshal(a.Body, &stats); err != nil {
		g.T.Fatal(err)
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
func awaitParts(g *apitest.Gateway, token string, want ...string) (stats map[string]json.RawMessage) {
	g.T.Helper()
	waittest.Eventually(g.T, fmt.Sprint("statistics without ", want), func() bool {
		var missing []string
		stats, missing = parts(g, token)
		return slices.Equal(missing, want)
	})
	return stats
}

func TestAdminStatsComeFromAllServices(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	stats := awaitParts(g, admin)
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
	errtest.None(t, json.Unmarshal(stats["waitlist"], &waitlist))
	if last := waitlist.Days[29]; waitlist.Total != 6 || waitlist.Pending != 1 || waitlist.Approved != 2 || waitlist.Rejected != 3 || last.Day != "2026-11-21" || last.SignUps != 29 || last.Approvals != 1 {
		t.Errorf("the waitlist: %+v", waitlist)
	}
	var tickets struct {
		Answers json.RawMessage `json:"first_answer_weeks"`
		Resolve json.RawMessage `json:"resolve_weeks"`
	}
	errtest.None(t, json.Unmarshal(stats["tickets"], &tickets))
	if want := `[{"category":null,"p50_seconds":60,"p90_seconds":90,"tickets":3,"week":"2026-11-16"},` +
		`{"category":"bug","p50_seconds":30,"p90_seconds":40,"tickets":2,"week":"2026-11-16"}]`; string(tickets.Answers) != want || string(tickets.Resolve) != "[]" {
		t.Errorf("first answers %s, resolved %s", tickets.Answers, tickets.Resolve)
	}
	var credits struct{ Spent json.Number }
	if err := json.Unmarshal(stats["credits"], &credits); err != nil || credits.Spent != "12.34" {
		t.Errorf("credits %s, %v", stats["credits"], err)
	}
}

func TestAPartIsMissingWhileItsServiceIsAway(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, tt := range []struct {
		fail    *apitest.Calls
		missing []string
	}{
		{&g.Waitlist.Calls, []string{"waitlist"}},
		{&g.Billing.Calls, []string{"credits", "subscriptions"}},
		{&g.Support.Calls, []string{"tickets"}},
		{&g.Releases.Calls, []string{"downloads"}},
	} {
		tt.fail.Fail(apitest.ErrAway)
		awaitParts(g, admin, tt.missing...)
		tt.fail.Fail(nil)
	}
	g.Billing.Unsummed.Store(true)
	awaitParts(g, admin, "credits")
	g.Billing.Unsummed.Store(false)
	g.Waitlist.Slow.Store(true)
	awaitParts(g, admin, "waitlist")
}
