package releases_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/fault"
)

const previewPath = "/api/preview/" + apitest.PreviewToken + "/Fledge-arm64.dmg"

func TestAnAdminMakesAndRevokesPreviewLinks(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	asked := func(want proto.Message) {
		t.Helper()
		if got, _ := g.Releases.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("the service was asked %v", got)
		}
	}
	base := authntest.Origin + "/api/preview/" + apitest.PreviewToken
	g.Post("/api/create-preview-link", `{"releaseId":42,"version":"1.2.3","days":7}`, apitest.Bearer(admin)).Is(http.StatusOK,
		`{"link":{"id":7,"createdAt":"2027-01-15T08:00:00Z","endsAt":"2027-01-22T08:00:00Z"},"downloads":[`+
			`{"filename":"Fledge-arm64.dmg","url":"`+base+`/Fledge-arm64.dmg"},{"filename":"Fledge-x64.dmg","url":"`+base+`/Fledge-x64.dmg"}]}`)
	asked(&releasesv1.CreatePreviewLinkRequest{ReleaseId: 42, Version: "1.2.3", Days: 7})

	const list = "/api/get-preview-links?version=1.2.3"
	g.Get(list, apitest.Bearer(admin)).Is(http.StatusOK, `{"links":[]}`)
	at := timestamppb.New(time.Unix(1_800_000_000, 0))
	g.Releases.Links = []*releasesv1.PreviewLink{{Id: 7, CreatedAt: at, EndsAt: at}}
	g.Get(list, apitest.Bearer(admin)).Is(http.StatusOK, `{"links":[{"id":7,"createdAt":"2027-01-15T08:00:00Z","endsAt":"2027-01-15T08:00:00Z"}]}`)
	asked(&releasesv1.ListPreviewLinksRequest{Version: "1.2.3"})

	g.Post("/api/revoke-preview-link", `{"linkId":7}`, apitest.Bearer(admin)).Is(http.StatusOK, `{"message":"The link no longer works"}`)
	asked(&releasesv1.RevokePreviewLinkRequest{LinkId: 7})
	g.Releases.Fail(fault.New(fault.NotFound, "unknown_preview_link", "This link has ended."))
	g.Post("/api/revoke-preview-link", `{"linkId":7}`, apitest.Bearer(admin)).Fails(http.StatusNotFound, "unknown_preview_link")
}

// TestWhoeverHasALinkDownloads without an account, and nobody stores or indexes the answer.
func TestWhoeverHasALinkDownloads(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.URL = "https://github.com/fledge/app/releases/download/v2.0.0/Fledge-arm64.dmg"
	a := g.Get(previewPath)
	for name, want := range map[string]string{
		"Location": g.Releases.URL, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex",
	} {
		if a.Status != http.StatusFound || a.Header.Get(name) != want {
			t.Errorf("%d, %s %q", a.Status, name, a.Header.Get(name))
		}
	}
	got, caller := g.Releases.Last()
	if want := (&releasesv1.ResolvePreviewDownloadRequest{Token: apitest.PreviewToken, Filename: "Fledge-arm64.dmg"}); !proto.Equal(got.(proto.Message), want) || caller.UserID != "" {
		t.Errorf("the service was asked %v by %q", got, caller.UserID)
	}
	g.Releases.URL = "https://evil.example/Fledge-arm64.dmg"
	g.Get(previewPath).Fails(http.StatusServiceUnavailable, "download_unavailable")
}

// TestALinkThatHasEndedSaysSo in words for a person, not in JSON; a service that is away is
// another thing.
func TestALinkThatHasEndedSaysSo(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.Fail(fault.New(fault.NotFound, "unknown_preview_link", "This link has ended."))
	a := g.Get(previewPath)
	if a.Status != http.StatusGone || !strings.Contains(string(a.Body), "This download link has ended") || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") ||
		a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
	}
	before := g.Releases.Count()
	for _, path := range []string{"/api/preview/" + strings.Repeat("A", 65) + "/x.dmg", "/api/preview/.A/x.dmg", "/api/preview/AAAA/" + strings.Repeat("x", 256)} {
		g.Get(path).Fails(http.StatusNotFound, "download_not_found")
	}
	if g.Releases.Count() != before {
		t.Error("what is no link reached the service")
	}
	g.Releases.Fail(fault.New(fault.Unavailable, "unavailable", "Please try again."))
	g.Get(previewPath).Fails(http.StatusServiceUnavailable, "unavailable")
}
