package releases_test

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

const (
	stable = releasesv1.Channel_CHANNEL_STABLE
	beta   = releasesv1.Channel_CHANNEL_BETA
)

// counted hands the test what is to be counted, and answers what the test says.
func counted(g *apitest.Gateway) (told chan []*releasesv1.UpdateChecks, answer chan error) {
	told, answer = make(chan []*releasesv1.UpdateChecks, 1), make(chan error, 1)
	g.Releases.Counted = func(checks []*releasesv1.UpdateChecks) error {
		told <- checks
		return <-answer
	}
	return told, answer
}

func TestUpdateChecksAreCountedByWhatAppsSay(t *testing.T) {
	g := apitest.Start(t)
	told, answer := counted(g)
	for _, tc := range []struct {
		path    string
		headers []string // names and values
		want    *releasesv1.UpdateChecks
	}{
		{"latest-mac.yml", nil, &releasesv1.UpdateChecks{Channel: stable}},
		{"beta-mac.yml", []string{"X-App-Version", "1.2.2", "X-App-Arch", "arm64", "X-Macos-Version", "14.5"}, &releasesv1.UpdateChecks{Channel: beta, Version: "1.2.2", Arch: "arm64", MacosVersion: "14.5"}},
		{"latest-mac.yml", []string{"X-App-Version", strings.Repeat("1", 65), "X-App-Arch", "<b>"}, &releasesv1.UpdateChecks{Channel: stable}},
		{"darwin-x64/1.2.2", []string{"X-App-Version", "9.9.9", "X-Macos-Version", "26.1"}, &releasesv1.UpdateChecks{Channel: stable, Version: "1.2.2", Arch: "x64", MacosVersion: "26.1"}},
		{"darwin-x64/1.2.2?channel=beta", nil, &releasesv1.UpdateChecks{Channel: beta, Version: "1.2.2", Arch: "x64"}},
	} {
		var options []apitest.Option
		for i := 0; i < len(tc.headers); i += 2 {
			options = append(options, apitest.Header(tc.headers[i], tc.headers[i+1]))
		}
		g.Get("/api/updates/"+tc.path, options...)
		tc.want.Count = 1
		if got := <-told; len(got) != 1 || !proto.Equal(got[0], tc.want) {
			t.Errorf("%s %v: %v, want %v", tc.path, tc.headers, got, tc.want)
		}
		answer <- nil
	}
}

// TestCountingDelaysNobody: checks that come meanwhile are told next, and those that were
// refused with the next.
func TestCountingDelaysNobody(t *testing.T) {
	g := apitest.Start(t)
	told, answer := counted(g)
	check := func() { g.Get(feedPath, apitest.Header("X-App-Version", "1.0.0")).Is(http.StatusOK) }
	expect := func(what string, n int64) {
		t.Helper()
		if got := <-told; len(got) != 1 || got[0].GetCount() != n {
			t.Errorf("%s: %v, want %d", what, got, n)
		}
	}
	check()
	expect("the first", 1)
	for range 5 {
		check()
	}
	answer <- nil
	expect("those that came meanwhile", 5)
	answer <- fault.New(fault.Unavailable, "unavailable", "Please try again.")
	waittest.Eventually(t, "the refusal", func() bool { return strings.Contains(g.Log.String(), "update checks could not be counted") })
	check()
	expect("with those that were refused", 6)
	answer <- nil
}

func TestStaffSeeTheVersionsInUse(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@fledge.test")
	const path = "/api/get-version-usage"
	g.Get(path, apitest.Bearer(admin)).Is(http.StatusOK, `{"days":[],"archs":[],"systems":[],"channels":[]}`)
	g.Releases.Usage = &releasesv1.GetUsageResponse{
		Days:  []*releasesv1.UsageDay{{Day: "2026-11-26"}, {Day: "2026-11-27", Versions: []*releasesv1.Share{{Name: "1.2.2", Total: 7}}}},
		Archs: []*releasesv1.Share{{Name: "arm64", Total: 7}}, Systems: []*releasesv1.Share{{Name: "14", Total: 7}}, Channels: []*releasesv1.Share{{Name: "stable", Total: 7}},
	}
	g.Get(path+"?days=2", apitest.Bearer(admin)).Is(http.StatusOK, `{"days":[{"day":"2026-11-26","versions":[]},{"day":"2026-11-27","versions":[{"name":"1.2.2","total":7}]}],
		"archs":[{"name":"arm64","total":7}],"systems":[{"name":"14","total":7}],"channels":[{"name":"stable","total":7}]}`)
	if got, _ := g.Releases.Last(); got.(*releasesv1.GetUsageRequest).GetDays() != 2 {
		t.Errorf("the service was asked %v", got)
	}
	g.Get(path+"?days=0", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_days")
}
