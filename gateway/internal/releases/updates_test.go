package releases_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const feedPath = "/api/updates/latest-mac.yml"

func toEverybody(u *releasesv1.Update) []*releasesv1.ReachingUpdate {
	return []*releasesv1.ReachingUpdate{{Update: u, Reach: 1 << 32}}
}

// feed reads the answer as a client does, and holds it against the description.
func feed(g *apitest.Gateway, options ...apitest.Option) map[string]any {
	g.T.Helper()
	a := g.Get(feedPath, options...).Is(http.StatusOK)
	var raw, parsed map[string]any
	if err := yaml.Unmarshal(a.Body, &raw); err != nil {
		g.T.Fatalf("%v: %s", err, a.Body)
	}
	asJSON, err := json.Marshal(raw)
	if err := errors.Join(err, json.Unmarshal(asJSON, &parsed)); err != nil {
		g.T.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(apitest.Document(g.T))
	if err != nil {
		g.T.Fatal(err)
	}
	if err := doc.Components.Schemas["UpdateFeed"].Value.VisitJSON(parsed, openapi3.EnableJSONSchema2020()); err != nil {
		g.T.Errorf("%v: %s", err, a.Body)
	}
	return parsed
}

func TestTheFeedSaysWhatTheServiceOffers(t *testing.T) {
	g := apitest.Start(t)
	if got := feed(g); got["version"] != "0.0.0" || got["stagingPercentage"] != 0.0 {
		t.Errorf("no update: %v", got)
	}
	u := apitest.AnUpdate()
	g.Releases.Updates = toEverybody(u)
	g.Later(time.Second)
	got := feed(g)
	for key, want := range map[string]any{
		"version": u.GetVersion(), "releaseName": u.GetName(), "releaseNotes": u.GetNotes(), "releaseDate": "2026-10-12T09:30:00Z", "minimumSystemVersion": "21.0.0",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if _, named := got["minimumVersion"]; named {
		t.Errorf("a minimum that there is not: %v", got)
	}
	u.MinimumVersion = "1.9.0"
	g.Later(time.Second)
	if again := feed(g); again["minimumVersion"] != "1.9.0" {
		t.Errorf("minimum %v", again)
	}
	files, _ := got["files"].([]any)
	if len(files) != 2 {
		t.Fatalf("files %v", files)
	}
	for i, want := range []string{"/api/download/1.10.0/Fledge-1.10.0-arm64-mac.zip", "/api/download/1.10.0/Fledge-1.10.0+5-mac.zip"} {
		if file := files[i].(map[string]any); file["url"] != want || file["sha512"] != u.GetFiles()[i].GetSha512() || file["size"] != float64(104857600+i) {
			t.Errorf("file %v", file)
		}
	}
	g.Releases.URL = "https://github.com/x"
	g.Get("/api/download/1.10.0/Fledge-1.10.0+5-mac.zip").Is(http.StatusFound)
}

func TestTheFeedHasTheNotesOfEveryMissedRelease(t *testing.T) {
	g := apitest.Start(t)
	files := apitest.AnUpdate().GetFiles()
	g.Releases.Updates = []*releasesv1.ReachingUpdate{
		{Update: &releasesv1.Update{Version: "3.0.0", Notes: "Three.", Files: files}, Reach: 0x4000_0000},
		{Update: &releasesv1.Update{Version: "2.0.0", Notes: "Two.", Files: files}, Reach: 1 << 32},
	}
	for _, n := range []string{"3.0.0", "2.0.0", "1.10.0", "1.9.0"} {
		g.Releases.Notes = append(g.Releases.Notes, &releasesv1.ReleaseNotes{Version: n, Notes: "About \"" + n + "\"\n"})
	}
	about := func(versions ...string) string {
		var notes []map[string]string
		for _, v := range versions {
			notes = append(notes, map[string]string{"version": v, "note": "About \"" + v + "\"\n"})
		}
		return fmt.Sprint(notes)
	}
	tag := g.Get(feedPath).Header.Get("ETag")
	for installed, want := range map[string]string{
		"1.9.0": about("2.0.0", "1.10.0"), "1.10.0-beta.1": about("2.0.0", "1.10.0"), "1.0.0": about("2.0.0", "1.10.0", "1.9.0"),
		"2.0.0": "Two.", "9.0.0": "Two.", "": "Two.", "latest": "Two.", "<b>": "Two.",
	} {
		says := apitest.Header("X-App-Version", installed)
		var got map[string]any
		a := g.Get(feedPath, says).Is(http.StatusOK)
		if err := yaml.Unmarshal(a.Body, &got); err != nil || fmt.Sprint(got["releaseNotes"]) != want {
			t.Errorf("%q: %v, want %s, %v", installed, got["releaseNotes"], want, err)
		}
		if other := a.Header.Get("ETag") != tag; other != (want != "Two.") {
			t.Errorf("%q: the tag is another: %t", installed, other)
		}
	}
	feed(g, apitest.Header("X-App-Version", "1.0.0"))
	first := apitest.Header("X-User-Staging-Id", "6ba7b810-9dad-51d1-80b4-00c000000000")
	if a := g.Get(feedPath, first, apitest.Header("X-App-Version", "2.0.0")); !strings.Contains(string(a.Body), `note: "About \"3.0.0\"`) {
		t.Errorf("who is reached: %s", a.Body)
	}
}

func TestTheFeedIsForOneApp(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.Updates = []*releasesv1.ReachingUpdate{
		{Update: &releasesv1.Update{Version: "3.0.0"}, Reach: 0x4000_0000}, {Update: &releasesv1.Update{Version: "2.0.0"}, Reach: 0xffff_ffff},
		{Update: &releasesv1.Update{Version: "1.0.0"}, Reach: 1 << 32},
	}
	at := func(place uint32) string { return fmt.Sprintf("6ba7b810-9dad-51d1-80b4-00c0%08x", place) }
	for id, want := range map[string]string{
		at(0): "3.0.0", at(0x3fff_ffff): "3.0.0", at(0x4000_0000): "2.0.0", at(0xffff_fffe): "2.0.0", at(0xffff_ffff): "1.0.0",
		strings.ToUpper(at(0xa)): "3.0.0",
		"":                       "1.0.0", "nonsense": "1.0.0", at(0) + "0": "1.0.0", "{" + at(0) + "}": "1.0.0", "urn:uuid:" + at(0): "1.0.0",
		strings.Repeat("0", 32): "1.0.0", strings.Repeat("0", 36): "1.0.0", strings.Repeat("x", 4000): "1.0.0",
	} {
		a := g.Get(feedPath+"?noCache=1jb4k2m3v", apitest.Header("X-User-Staging-Id", id)).Is(http.StatusOK)
		if !strings.Contains(string(a.Body), want) || a.Header.Get("Vary") != "X-User-Staging-Id, X-App-Version" || a.Header.Get("Content-Type") != "application/yaml" {
			t.Errorf("%.50q: %v %s, want %s", id, a.Header, a.Body, want)
		}
	}
	if g.Releases.Count() != 1 {
		t.Errorf("the service was asked %d times", g.Releases.Count())
	}
	g.Releases.Updates = g.Releases.Updates[:2]
	g.Later(time.Second)
	for id, want := range map[string]string{at(0xffff_fffe): "2.0.0", at(0xffff_ffff): "0.0.0", "": "0.0.0"} {
		if a := g.Get(feedPath, apitest.Header("X-User-Staging-Id", id)); !strings.Contains(string(a.Body), want) {
			t.Errorf("%q: %s, want %s", id, a.Body, want)
		}
	}
	g.Get(feedPath+"?staging=1").Fails(http.StatusBadRequest, "unknown_parameter")
	g.Get(feedPath+"?noCache=1&noCache=2").Fails(http.StatusBadRequest, "invalid_query")
	g.Get("/api/updates/nightly-mac.yml").Fails(http.StatusNotFound, "route_not_found")
	g.Get("/api/updates/latest.yml").Fails(http.StatusNotFound, "route_not_found")
}

func TestEachChannelHasItsFeed(t *testing.T) {
	g := apitest.Start(t)
	for path, channel := range map[string]releasesv1.Channel{
		"latest": releasesv1.Channel_CHANNEL_STABLE, "beta": releasesv1.Channel_CHANNEL_BETA, "alpha": releasesv1.Channel_CHANNEL_ALPHA,
	} {
		g.Get("/api/updates/" + path + "-mac.yml").Is(http.StatusOK)
		if got, _ := g.Releases.Last(); got.(*releasesv1.ListUpdatesRequest).GetChannel() != channel {
			t.Errorf("%s: the service was asked %v", path, got)
		}
	}
	for given, channel := range map[string]releasesv1.Channel{"beta": releasesv1.Channel_CHANNEL_BETA, "BETA": -1, "latest": -1} {
		g.Get("/api/updates/darwin-arm64/1.2.2?channel=" + given).Is(http.StatusNoContent)
		if got, _ := g.Releases.Last(); got.(*releasesv1.GetUpdateRequest).GetChannel() != channel {
			t.Errorf("%s: the service was asked %v", given, got)
		}
	}
}

func TestSquirrelGetsAnAbsoluteAddress(t *testing.T) {
	g := apitest.Start(t)
	g.Get("/api/updates/darwin-arm64/1.2.2").Is(http.StatusNoContent)
	u := apitest.AnUpdate()
	u.Files, u.Notes = u.GetFiles()[:1], "New."
	g.Releases.Update = u
	g.Get("/api/updates/darwin-arm64/1.2.2").Is(http.StatusOK, `{"url":"http://localhost:8080/api/download/1.10.0/Fledge-1.10.0-arm64-mac.zip",
		"name":"Fledge: \"it's\" 1.10.0","notes":"New.","pub_date":"2026-10-12T09:30:00Z"}`)
	g.Releases.Update.MinimumVersion = "1.9.0"
	if a := g.Get("/api/updates/darwin-arm64/1.2.2").Is(http.StatusOK); !strings.Contains(string(a.Body), `"minimumVersion":"1.9.0"`) {
		t.Errorf("the minimum: %s", a.Body)
	}
	got, _ := g.Releases.Last()
	if want := (&releasesv1.GetUpdateRequest{Arch: releasesv1.Arch_ARCH_ARM64, InstalledVersion: "1.2.2"}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
	before := g.Releases.Count()
	for _, path := range []string{
		"darwin-universal/1.2.2", "darwin-/1.2.2", "darwin/1.2.2", "darwin-arm64", "darwin-arm64/", "darwin-arm64/1.2.2/RELEASES", "win32-x64/1.2.2",
		"darwin-ARM64/1.2.2", "darwin-arm64/..", "darwin-arm64/%00", "darwin-arm64/1.2.2%20", "darwin-arm64/" + strings.Repeat("1", 65),
	} {
		g.Get("/api/updates/" + path).Is(http.StatusNotFound)
	}
	if g.Releases.Count() != before {
		t.Error("a refused request reached the service")
	}
	g.Releases.Fail(fault.New(fault.Invalid, "invalid_version", "The version of the app is not a semantic version."))
	g.Get("/api/updates/darwin-x64/latest").Fails(http.StatusBadRequest, "invalid_version")
}

func TestSquirrelIsToldWhatTheAppHasMissed(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.Update = apitest.AnUpdate()
	g.Releases.Update.Notes = "New."
	for _, tc := range []struct {
		notes []*releasesv1.ReleaseNotes
		want  string
	}{
		{nil, "New."},
		{[]*releasesv1.ReleaseNotes{{Version: "1.10.0", Notes: "New."}}, "New."},
		{[]*releasesv1.ReleaseNotes{{Version: "1.9.0", Notes: "Old."}}, "1.9.0\nOld."},
		{[]*releasesv1.ReleaseNotes{{Version: "1.10.0", Notes: "New."}, {Version: "1.9.0", Notes: "Old,\nand \"quoted\"."}}, "1.10.0\nNew.\n\n1.9.0\nOld,\nand \"quoted\"."},
	} {
		g.Releases.Notes = tc.notes
		var got struct{ Notes string }
		if err := json.Unmarshal(g.Get("/api/updates/darwin-arm64/1.2.2").Is(http.StatusOK).Body, &got); err != nil || got.Notes != tc.want {
			t.Errorf("%v: %q, want %q, %v", tc.notes, got.Notes, tc.want, err)
		}
	}
}

func TestTheNewestBuildHasALinkThatStays(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.URL = "https://github.com/o/r/releases/download/v1.2.3/Fledge-arm64.dmg"
	for path, arch := range map[string]releasesv1.Arch{"arm64": releasesv1.Arch_ARCH_ARM64, "x64": releasesv1.Arch_ARCH_X64} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if a := g.Do(method, "/api/download/"+path).Is(http.StatusFound); a.Header.Get("Location") != g.Releases.URL {
				t.Errorf("leads to %s", a.Header.Get("Location"))
			}
			got, _ := g.Releases.Last()
			if want := (&releasesv1.ResolveLatestDownloadRequest{Arch: arch, LookOnly: method == http.MethodHead}); !proto.Equal(got.(proto.Message), want) {
				t.Errorf("the service was asked %v", got)
			}
		}
	}
	for _, path := range []string{"universal", "ARM64", "arm64/", "1.2.3"} {
		g.Get("/api/download/"+path).Fails(http.StatusNotFound, "route_not_found")
	}
	g.Releases.URL = "http://169.254.169.254/latest/meta-data"
	g.Get("/api/download/arm64").Fails(http.StatusServiceUnavailable, "download_unavailable")
	g.Releases.Fail(fault.New(fault.NotFound, "unknown_download", "There is no such download."))
	g.Get("/api/download/x64").Fails(http.StatusNotFound, "unknown_download")
}

func TestStaffAreToldWhatAnAppIsOffered(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@fledge.test")
	const path, answer = "/api/explain-update", `"sentences":["This app is offered v1.2.3."]}`
	g.Get(path+"?stagingId=x&channel=beta&arch=arm64&version=1.2.2", apitest.Bearer(admin)).Is(http.StatusOK, `{"version":null,`+answer)
	got, _ := g.Releases.Last()
	if want := (&releasesv1.ExplainUpdateRequest{StagingId: "x", Channel: releasesv1.Channel_CHANNEL_BETA, Arch: releasesv1.Arch_ARCH_ARM64, InstalledVersion: "1.2.2"}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
	g.Releases.Update = &releasesv1.Update{Version: "1.2.3"}
	g.Get(path, apitest.Bearer(admin)).Is(http.StatusOK, `{"version":"1.2.3",`+answer)
}
