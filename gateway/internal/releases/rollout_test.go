package releases_test

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const rolloutPath = "/api/set-release-rollout"

func TestSetReleaseRollout(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, percentage := range []string{"0", "25", "100"} {
		g.Post(rolloutPath, `{"releaseId":42,"version":"1.2.3","percentage":`+percentage+`}`, apitest.Bearer(admin)).
			Is(http.StatusOK, `{"message":"Release v1.2.3 is now offered to `+percentage+`% of installed apps"}`)
	}
	got, _ := g.Releases.Last()
	if want := (&releasesv1.SetRolloutRequest{ReleaseId: 42, Version: "1.2.3", Percentage: 100}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
	g.Post(rolloutPath, `{"releaseId":42,"version":"1.2.3","rises":true}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"message":"Release v1.2.3 is now offered to 1% of installed apps, and to more day by day"}`)
	got, _ = g.Releases.Last()
	if want := (&releasesv1.SetRolloutRequest{ReleaseId: 42, Version: "1.2.3", Rises: true}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
	g.Releases.Fail(fault.New(fault.Conflict, "stale_release", "This release has changed on GitHub."))
	g.Post(rolloutPath, `{"releaseId":42,"version":"1.2.3","percentage":1}`, apitest.Bearer(admin)).Fails(http.StatusConflict, "stale_release")
}

func TestSetReleaseRolloutRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for body, code := range map[string]string{
		`{"releaseId":9223372036854775808,"version":"1.2.3","percentage":1}`:  "invalid_type",
		`{"releaseId":1.5,"version":"1.2.3","percentage":1}`:                  "invalid_type",
		`{"releaseId":"1","version":"1.2.3","percentage":1}`:                  "invalid_type",
		`{"releaseId":1,"version":"1.2.3"}`:                                   "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","percentage":null}`:                 "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","rises":false}`:                     "invalid_percentage",
		`{"releaseId":1,"version":"1.2.3","rises":"true"}`:                    "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":0.5}`:                  "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":1e2}`:                  "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":4294967396}`:           "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":"25"}`:                 "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":true}`:                 "invalid_type",
		`{"releaseId":1,"version":"1.2.3","percentage":1,"isAvailable":true}`: "unknown_field",
	} {
		if a := g.Post(rolloutPath, body, apitest.Bearer(admin)); a.Status != http.StatusBadRequest || !strings.Contains(string(a.Body), code) {
			t.Errorf("%s: %d %s, want %s", body, a.Status, a.Body, code)
		}
	}
	if g.Releases.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}

func TestDownloadStats(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/get-download-stats", apitest.Bearer(admin)).Is(http.StatusOK, `{"days":[],"versions":[]}`)
	if got, _ := g.Releases.Last(); got.(*releasesv1.GetDownloadStatsRequest).GetDays() != 30 {
		t.Errorf("the service was asked %v", got)
	}
	g.Releases.Stats = &releasesv1.GetDownloadStatsResponse{
		Days:     []*releasesv1.DayDownloads{{Day: "2026-11-19"}, {Day: "2026-11-20", Total: 7}},
		Versions: []*releasesv1.VersionDownloads{{Version: "1.10.0", Total: 7, Arm64: 4, X64: 2}},
	}
	g.Get("/api/get-download-stats?days=2", apitest.Bearer(admin)).Is(http.StatusOK,
		`{"days":[{"day":"2026-11-19","total":0},{"day":"2026-11-20","total":7}],"versions":[{"version":"1.10.0","total":7,"arm64":4,"x64":2}]}`)
	before := g.Releases.Count()
	for _, days := range []string{"", "0", "-1", "1.5", "x", "2147483648", "%201"} {
		g.Get("/api/get-download-stats?days="+days, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_days")
	}
	g.Get("/api/get-download-stats?days=1&days=2", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_query")
	if g.Releases.Count() != before {
		t.Error("a refused request reached the service")
	}
}

func TestSetReleaseChannel(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const path = "/api/set-release-channel"
	// What is no channel must not become GitHub's.
	for value, want := range map[string]releasesv1.Channel{"github": releasesv1.Channel_CHANNEL_UNSPECIFIED, "alpha": releasesv1.Channel_CHANNEL_ALPHA, "nightly": -1, "": -1} {
		g.Post(path, `{"releaseId":42,"version":"1.2.3","channel":"`+value+`"}`, apitest.Bearer(admin)).Is(http.StatusOK)
		got, _ := g.Releases.Last()
		if want := (&releasesv1.SetChannelRequest{ReleaseId: 42, Version: "1.2.3", Channel: want}); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("the service was asked %v", got)
		}
	}
}

func TestSetReleaseRequired(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const path = "/api/set-release-required"
	for value, words := range map[string]string{"true": "is now required: older apps have to update", "false": "is no longer required"} {
		g.Post(path, `{"releaseId":42,"version":"1.2.3","isRequired":`+value+`}`, apitest.Bearer(admin)).
			Is(http.StatusOK, `{"message":"Release v1.2.3 `+words+`"}`)
		got, _ := g.Releases.Last()
		if want := (&releasesv1.SetRequiredRequest{ReleaseId: 42, Version: "1.2.3", IsRequired: value == "true"}); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("the service was asked %v", got)
		}
	}
	g.Post(path, `{"releaseId":42,"version":"1.2.3"}`, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_is_required")
	g.Releases.Fail(fault.New(fault.Conflict, "release_not_for_all", "Only a release that all are offered can be required."))
	g.Post(path, `{"releaseId":42,"version":"1.2.3","isRequired":true}`, apitest.Bearer(admin)).Fails(http.StatusConflict, "release_not_for_all")
}
