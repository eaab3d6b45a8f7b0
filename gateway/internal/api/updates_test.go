package api_test

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
	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const feedPath = "/api/updates/latest-mac.yml"

func anUpdate() *releasesv1.Update {
	sum := strings.Repeat("A", 86) + "=="
	return &releasesv1.Update{
		Version: "1.10.0", Name: "Fledge: \"it's\" 1.10.0", Notes: "# New\n\n- a: b\t\u2028\u0085'\"\\ ü 🎨\n---\n", PublishedAt: timestamppb.New(time.Date(2026, 10, 12, 9, 30, 0, 123456789, time.UTC)),
		Files: []*releasesv1.UpdateFile{
			{Filename: "Fledge-1.10.0-arm64-mac.zip", Size: 104857600, Sha512: sum}, {Filename: "Fledge-1.10.0+5-mac.zip", Size: 104857601, Sha512: sum},
		},
	}
}

func toEverybody(u *releasesv1.Update) []*releasesv1.ReachingUpdate {
	return []*releasesv1.ReachingUpdate{{Update: u, Reach: 1 << 32}}
}

// feed reads the answer as a client does, and holds it against the description.
func (g *gateway) feed(options ...option) map[string]any {
	g.t.Helper()
	a := g.get(feedPath, options...).is(http.StatusOK)
	var raw, parsed map[string]any
	if err := yaml.Unmarshal(a.body, &raw); err != nil {
		g.t.Fatalf("%v: %s", err, a.body)
	}
	asJSON, err := json.Marshal(raw)
	if err := errors.Join(err, json.Unmarshal(asJSON, &parsed)); err != nil {
		g.t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(document(g.t))
	if err != nil {
		g.t.Fatal(err)
	}
	if err := doc.Components.Schemas["UpdateFeed"].Value.VisitJSON(parsed, openapi3.EnableJSONSchema2020()); err != nil {
		g.t.Errorf("%v: %s", err, a.body)
	}
	return parsed
}

func TestTheFeedSaysWhatTheServiceOffers(t *testing.T) {
	g := start(t)
	if got := g.feed(); got["version"] != "0.0.0" || got["stagingPercentage"] != 0.0 {
		t.Errorf("no update: %v", got)
	}
	u := anUpdate()
	g.releases.updates = toEverybody(u)
	g.later(time.Second)
	got := g.feed()
	for key, want := range map[string]any{
		"version": u.GetVersion(), "releaseName": u.GetName(), "releaseNotes": u.GetNotes(), "releaseDate": "2026-10-12T09:30:00Z", "minimumSystemVersion": "21.0.0",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
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
	g.releases.url = "https://github.com/x"
	g.get("/api/download/1.10.0/Fledge-1.10.0+5-mac.zip").is(http.StatusFound)
}

func TestTheFeedIsForOneApp(t *testing.T) {
	g := start(t)
	g.releases.updates = []*releasesv1.ReachingUpdate{
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
		a := g.get(feedPath+"?noCache=1jb4k2m3v", header("X-User-Staging-Id", id)).is(http.StatusOK)
		if !strings.Contains(string(a.body), want) || a.header.Get("Vary") != "X-User-Staging-Id" || a.header.Get("Content-Type") != "application/yaml" {
			t.Errorf("%.50q: %v %s, want %s", id, a.header, a.body, want)
		}
	}
	if g.releases.count() != 1 {
		t.Errorf("the service was asked %d times", g.releases.count())
	}
	g.releases.updates = g.releases.updates[:2]
	g.later(time.Second)
	for id, want := range map[string]string{at(0xffff_fffe): "2.0.0", at(0xffff_ffff): "0.0.0", "": "0.0.0"} {
		if a := g.get(feedPath, header("X-User-Staging-Id", id)); !strings.Contains(string(a.body), want) {
			t.Errorf("%q: %s, want %s", id, a.body, want)
		}
	}
	g.get(feedPath+"?staging=1").fails(http.StatusBadRequest, "unknown_parameter")
	g.get(feedPath+"?noCache=1&noCache=2").fails(http.StatusBadRequest, "invalid_query")
	g.get("/api/updates/beta-mac.yml").fails(http.StatusNotFound, "route_not_found")
	g.get("/api/updates/latest.yml").fails(http.StatusNotFound, "route_not_found")
}

func TestSquirrelGetsAnAbsoluteAddress(t *testing.T) {
	g := start(t)
	g.get("/api/updates/darwin-arm64/1.2.2").is(http.StatusNoContent)
	u := anUpdate()
	u.Files, u.Notes = u.GetFiles()[:1], "New."
	g.releases.update = u
	g.get("/api/updates/darwin-arm64/1.2.2").is(http.StatusOK, `{"url":"http://localhost:8080/api/download/1.10.0/Fledge-1.10.0-arm64-mac.zip",
		"name":"Fledge: \"it's\" 1.10.0","notes":"New.","pub_date":"2026-10-12T09:30:00Z"}`)
	got, _ := g.releases.last()
	if want := (&releasesv1.GetUpdateRequest{Arch: releasesv1.Arch_ARCH_ARM64, InstalledVersion: "1.2.2"}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
	before := g.releases.count()
	for _, path := range []string{
		"darwin-universal/1.2.2", "darwin-/1.2.2", "darwin/1.2.2", "darwin-arm64", "darwin-arm64/", "darwin-arm64/1.2.2/RELEASES", "win32-x64/1.2.2",
		"darwin-ARM64/1.2.2", "darwin-arm64/..", "darwin-arm64/%00", "darwin-arm64/1.2.2%20", "darwin-arm64/" + strings.Repeat("1", 65),
	} {
		g.get("/api/updates/" + path).is(http.StatusNotFound)
	}
	if g.releases.count() != before {
		t.Error("a refused request reached the service")
	}
	g.releases.fail(fault.New(fault.Invalid, "invalid_version", "The version of the app is not a semantic version."))
	g.get("/api/updates/darwin-x64/latest").fails(http.StatusBadRequest, "invalid_version")
}

func TestTheNewestBuildHasALinkThatStays(t *testing.T) {
	g := start(t)
	g.releases.url = "https://github.com/o/r/releases/download/v1.2.3/Fledge-arm64.dmg"
	for path, arch := range map[string]releasesv1.Arch{"arm64": releasesv1.Arch_ARCH_ARM64, "x64": releasesv1.Arch_ARCH_X64} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if a := g.do(method, "/api/download/"+path).is(http.StatusFound); a.header.Get("Location") != g.releases.url {
				t.Errorf("leads to %s", a.header.Get("Location"))
			}
			got, _ := g.releases.last()
			if want := (&releasesv1.ResolveLatestDownloadRequest{Arch: arch, LookOnly: method == http.MethodHead}); !proto.Equal(got.(proto.Message), want) {
				t.Errorf("the service was asked %v", got)
			}
		}
	}
	for _, path := range []string{"universal", "ARM64", "arm64/", "1.2.3"} {
		g.get("/api/download/"+path).fails(http.StatusNotFound, "route_not_found")
	}
	g.releases.url = "http://169.254.169.254/latest/meta-data"
	g.get("/api/download/arm64").fails(http.StatusServiceUnavailable, "download_unavailable")
	g.releases.fail(fault.New(fault.NotFound, "unknown_download", "There is no such download."))
	g.get("/api/download/x64").fails(http.StatusNotFound, "unknown_download")
}
