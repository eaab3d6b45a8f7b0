package api_test

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const rolloutPath = "/api/set-release-rollout"

func TestSetReleaseRollout(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for _, percentage := range []string{"0", "25", "100"} {
		g.post(rolloutPath, `{"releaseId":42,"version":"1.2.3","percentage":`+percentage+`}`, bearer(admin)).
			is(http.StatusOK, `{"message":"Release v1.2.3 is now offered to `+percentage+`% of installed apps"}`)
	}
	got, _ := g.releases.last()
	if want := (&releasesv1.SetRolloutRequest{ReleaseId: 42, Version: "1.2.3", Percentage: 100}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
	g.releases.fail(fault.New(fault.Conflict, "stale_release", "This release has changed on GitHub."))
	g.post(rolloutPath, `{"releaseId":42,"version":"1.2.3","percentage":1}`, bearer(admin)).fails(http.StatusConflict, "stale_release")
}

func TestSetReleaseRolloutRefuses(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for body, code := range map[string]string{
		`{"version":"1.2.3","percentage":1}`:                                         "invalid_release_id",
		`{"releaseId":0,"version":"1.2.3","percentage":1}`:                           "invalid_release_id",
		`{"releaseId":-1,"version":"1.2.3","percentage":1}`:                          "invalid_release_id",
		`{"releaseId":null,"version":"1.2.3","percentage":1}`:                        "invalid_release_id",
		`{"releaseId":9223372036854775808,"version":"1.2.3","percentage":1}`:         "invalid_type",
		`{"releaseId":1.5,"version":"1.2.3","percentage":1}`:                         "invalid_type",
		`{"releaseId":"1","version":"1.2.3","percentage":1}`:                         "invalid_type",
		`{"releaseId":1,"percentage":1}`:                                             "invalid_version",
		`{"releaseId":1,"version":"` + strings.Repeat("1", 65) + `","percentage":1}`: "invalid_version",
		`{"releaseId":1,"version":"1.2.3"}`:                                          "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","percentage":null}`:                        "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","percentage":-1}`:                          "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","percentage":101}`:                         "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","percentage":0.5}`:                         "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":1e2}`:                         "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":4294967396}`:                  "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":"25"}`:                        "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":true}`:                        "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":1,"isAvailable":true}`:        "unknown_field",
	} {
		if a := g.post(rolloutPath, body, bearer(admin)); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), code) {
			t.Errorf("%s: %d %s, want %s", body, a.status, a.body, code)
		}
	}
	if g.releases.count() != 0 {
		t.Error("a refused request reached the service")
	}
}

func TestDownloadStats(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	g.get("/api/get-download-stats", bearer(admin)).is(http.StatusOK, `{"days":[],"versions":[]}`)
	if got, _ := g.releases.last(); got.(*releasesv1.GetDownloadStatsRequest).GetDays() != 30 {
		t.Errorf("the service was asked %v", got)
	}
	g.releases.stats = &releasesv1.GetDownloadStatsResponse{
		Days:     []*releasesv1.DayDownloads{{Day: "2026-11-19"}, {Day: "2026-11-20", Total: 7}},
		Versions: []*releasesv1.VersionDownloads{{Version: "1.10.0", Total: 7, Arm64: 4, X64: 2}},
	}
	g.get("/api/get-download-stats?days=2", bearer(admin)).is(http.StatusOK,
		`{"days":[{"day":"2026-11-19","total":0},{"day":"2026-11-20","total":7}],"versions":[{"version":"1.10.0","total":7,"arm64":4,"x64":2}]}`)
	before := g.releases.count()
	for _, days := range []string{"", "0", "-1", "366", "1.5", "x", "2147483648", "%201"} {
		g.get("/api/get-download-stats?days="+days, bearer(admin)).fails(http.StatusBadRequest, "invalid_days")
	}
	g.get("/api/get-download-stats?days=1&days=2", bearer(admin)).fails(http.StatusBadRequest, "invalid_query")
	if g.releases.count() != before {
		t.Error("a refused request reached the service")
	}
}
