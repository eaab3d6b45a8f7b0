package releases_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

func TestGetReleases(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/get-github-releases", apitest.Bearer(admin)).Is(http.StatusOK, `{"releases":[],"lastCheck":null}`)
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	g.Releases.List = &releasesv1.ListReleasesResponse{LastCheck: at, Releases: []*releasesv1.Release{
		{Id: 9_007_199_254_740_991, Name: "<script>", Version: "1.2.3", PublishedAt: at, DownloadCount: 7, SiteDownloadCount: 3, IsAvailable: true, IsRequired: true, RolloutPercentage: 25, NextPercentage: 100, NextPercentageAt: at, ReplacedAt: at, PromotedAt: at, Channel: releasesv1.Channel_CHANNEL_BETA, ChosenChannel: releasesv1.Channel_CHANNEL_BETA, UpdateProblem: releasesv1.UpdateProblem_UPDATE_PROBLEM_NO_ARCHIVE,
			Assets: []*releasesv1.Asset{{Id: 5, Name: "a.dmg", Size: 6_000_000_000}}},
		{Id: 2, Name: "draft", Version: "1.2.2"},
	}}
	g.Get("/api/get-github-releases", apitest.Bearer(admin)).Is(http.StatusOK, `{"lastCheck":"2026-01-02T03:04:05Z","releases":[
		{"id":9007199254740991,"name":"<script>","version":"1.2.3","channel":"beta","chosenChannel":"beta","publishedAt":"2026-01-02T03:04:05Z","downloadCount":7,"siteDownloadCount":3,"isAvailable":true,"isRequired":true,"replacedAt":"2026-01-02T03:04:05Z","promotedAt":"2026-01-02T03:04:05Z","updateProblem":"no_archive","rolloutPercentage":25,"nextPercentage":100,"nextPercentageAt":"2026-01-02T03:04:05Z",
		 "assets":[{"id":5,"name":"a.dmg","size":6000000000}]},
		{"id":2,"name":"draft","version":"1.2.2","channel":"stable","chosenChannel":null,"publishedAt":null,"downloadCount":0,"siteDownloadCount":0,"isAvailable":false,"isRequired":false,"replacedAt":null,"promotedAt":null,"updateProblem":null,"rolloutPercentage":0,"nextPercentage":null,"nextPercentageAt":null,"assets":[]}]}`)
}

func TestToggleRelease(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Post("/api/toggle-release-availability", `{"releaseId":42,"version":"1.2.3","isAvailable":true}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"message":"Release v1.2.3 is now available"}`)
	g.Post("/api/toggle-release-availability", `{"releaseId":42,"version":"1.2.3","isAvailable":false}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"message":"Release v1.2.3 is no longer available"}`)
	got, _ := g.Releases.Last()
	if want := (&releasesv1.SetAvailabilityRequest{ReleaseId: 42, Version: "1.2.3"}); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
}

func TestToggleReleaseRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for body, code := range map[string]string{
		`{"releaseId":9223372036854775808,"version":"1.2.3","isAvailable":true}`: "invalid_type",
		`{"releaseId":1.5,"version":"1.2.3","isAvailable":true}`:                 "invalid_type",
		`{"releaseId":"1","version":"1.2.3","isAvailable":true}`:                 "invalid_type",
		`{"releaseId":1,"version":"1.2.3"}`:                                      "invalid_is_available",
		`{"releaseId":1,"version":"1.2.3","isAvailable":null}`:                   "invalid_is_available",
		`{"releaseId":1,"version":"1.2.3","isAvailable":"true"}`:                 "invalid_type",
		`{"releaseId":1,"version":"1.2.3","isAvailable":1}`:                      "invalid_type",
	} {
		g.Post("/api/toggle-release-availability", body, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Releases.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}

func TestLatestDownloads(t *testing.T) {
	g := apitest.Start(t)
	g.Get("/api/get-latest-downloads").Is(http.StatusOK, `{}`)
	g.Releases.Downloads = []*releasesv1.Download{
		{Arch: releasesv1.Arch_ARCH_ARM64, Filename: "Fledge-1.2.3+b1-arm64.dmg", Version: "1.2.3+b1"},
		{Arch: releasesv1.Arch_ARCH_UNSPECIFIED, Filename: "x", Version: "1.2.3"},
	}
	g.Later(time.Second)
	g.Get("/api/get-latest-downloads").Is(http.StatusOK,
		`{"arm64":{"url":"/api/download/1.2.3+b1/Fledge-1.2.3+b1-arm64.dmg","filename":"Fledge-1.2.3+b1-arm64.dmg","version":"1.2.3+b1"}}`)
	g.Releases.URL = "https://github.com/x"
	g.Get("/api/download/1.2.3+b1/Fledge-1.2.3+b1-arm64.dmg").Is(http.StatusFound)
	if got, _ := g.Releases.Last(); got.(*releasesv1.ResolveDownloadRequest).GetVersion() != "1.2.3+b1" {
		t.Errorf("the service was asked %v", got)
	}
}

func TestDownload(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.URL = "https://github.com/o/r/releases/download/v1.2.3/Fledge-arm64.dmg"
	for _, tc := range []struct {
		method, header, value string
		looks                 bool
	}{
		{http.MethodGet, "Accept", "*/*", false},
		{http.MethodGet, "Range", "bytes=0-", false},
		{http.MethodHead, "Accept", "*/*", true},
		{http.MethodGet, "Range", "bytes=0-0", true},
		{http.MethodGet, "Range", "bytes=4096-", true},
		{http.MethodGet, "Sec-Purpose", "prefetch;prerender", true},
		{http.MethodGet, "Purpose", "prefetch", true},
		{http.MethodGet, "X-Moz", "prefetch", true},
		{http.MethodGet, "Purpose", "preview", true},
		{http.MethodGet, "X-Purpose", "preview", true},
	} {
		a := g.Do(tc.method, "/api/download/1.2.3/Fledge-arm64.dmg", apitest.Header(tc.header, tc.value)).Is(http.StatusFound)
		if a.Header.Get("Location") != g.Releases.URL || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", a.Header)
		}
		asked, _ := g.Releases.Last()
		if looks := asked.(*releasesv1.ResolveDownloadRequest).GetLookOnly(); looks != tc.looks {
			t.Errorf("%s with %s %s: look_only %t", tc.method, tc.header, tc.value, looks)
		}
	}
	g.Releases.Fail(fault.New(fault.NotFound, "unknown_download", "There is no such download."))
	g.Get("/api/download/1.2.3/Fledge-arm64.dmg").Fails(http.StatusNotFound, "unknown_download")
}

// TestLinksToDownloadsWorkWithAnyQuery, as mail and advertising append their own.
func TestLinksToDownloadsWorkWithAnyQuery(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.URL = "https://github.com/x"
	for _, path := range []string{"/api/download/arm64", "/api/download/x64", "/api/download/1.2.3/Fledge-arm64.dmg", previewPath} {
		for _, query := range []string{"utm_source=x", "utm_source=x&utm_source=y", "a=%00", "%zz", "a;b"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				if a := g.Do(method, path+"?"+query).Is(http.StatusFound); a.Header.Get("Location") != g.Releases.URL {
					t.Errorf("%s %s?%s leads to %q", method, path, query, a.Header.Get("Location"))
				}
			}
		}
	}
}

func TestDownloadNamesAreHarmless(t *testing.T) {
	g := apitest.Start(t)
	g.Releases.URL = "https://github.com/x"
	for _, path := range []string{
		"1.2.3/..", "../Fledge.dmg", "1.2.3/%2e%2e%2fx", "1.2.3/a%0d%0aSet-Cookie:x", "1.2.3/a%22b", "1.2.3/%00", "1.2.3/.env",
		"1.2.3/a%5cb", "1.2.3/caf%C3%A9.dmg", "1.2.3/" + strings.Repeat("x", 256), strings.Repeat("1", 65) + "/x.dmg", "1.2.3/a/b", "1.2.3/", "/x.dmg",
	} {
		g.Get("/api/download/" + path).Is(http.StatusNotFound)
	}
	if g.Releases.Count() != 0 {
		t.Error("a refused name reached the service")
	}
}

func TestDownloadLeadsOnlyToListedHosts(t *testing.T) {
	local := apitest.Start(t)
	public := apitest.Start(t, func(c *api.Config) {
		site := *c.Site
		site.Scheme, site.Host = "https", "fledge.example"
		c.Site = &site
	})
	for target, allowed := range map[string][2]bool{ // on a local site, on a public one
		"https://github.com/x":              {true, true},
		"http://127.0.0.1:8083/x":           {true, false},
		"http://localhost:8083/x":           {true, false},
		"http://[::1]:8083/x":               {true, false},
		"http://github.com/x":               {false, false},
		"https://github.com:444/x":          {false, false},
		"https://github.com.evil.example/x": {false, false},
		"https://evil@github.com/x":         {false, false},
		"http://169.254.169.254/x":          {false, false},
		"http://127.0.0.1.evil.example/x":   {false, false},
		"file:///etc/passwd":                {false, false},
		"javascript:alert(1)":               {false, false},
		"//github.com/x":                    {false, false},
		"":                                  {false, false},
	} {
		for i, g := range []*apitest.Gateway{local, public} {
			g.Releases.URL = target
			a := g.Get("/api/download/1.2.3/Fledge-arm64.dmg")
			if allowed[i] {
				a.Is(http.StatusFound)
			} else {
				a.Fails(http.StatusServiceUnavailable, "download_unavailable")
			}
		}
	}
}
