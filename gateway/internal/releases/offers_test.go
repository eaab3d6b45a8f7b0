package releases_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const downloadsPath = "/api/get-latest-downloads"

// offer has the service offer a version from now on.
func offer(g *apitest.Gateway, version string) {
	g.Releases.Updates = toEverybody(&releasesv1.Update{Version: version})
	g.Releases.Downloads = []*releasesv1.Download{{Arch: releasesv1.Arch_ARCH_ARM64, Filename: "Fledge.dmg", Version: version}}
}

// offers fails the test unless both answers are about the version.
func offers(g *apitest.Gateway, version string) {
	g.T.Helper()
	for _, path := range []string{feedPath, downloadsPath} {
		if a := g.Get(path).Is(http.StatusOK); !strings.Contains(string(a.Body), `"`+version+`"`) {
			g.T.Errorf("%s offers %s, want %s", path, a.Body, version)
		}
	}
}

func TestWhatIsOnOfferIsAnsweredFromMemoryForHalfASecond(t *testing.T) {
	g := apitest.Start(t)
	g.Stop()
	offer(g, "1.0.0")
	for range 100 {
		offers(g, "1.0.0")
	}
	if n := g.Releases.Count(); n != 2 {
		t.Errorf("200 requests became %d calls, want one of each kind", n)
	}
	offer(g, "2.0.0")
	g.Later(time.Second / 2)
	offers(g, "2.0.0")
}

func TestWhatStaffChangeShowsAtOnce(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@fledge.test")
	for i, change := range []struct{ path, body string }{
		{"/api/toggle-release-availability", `{"releaseId":1,"version":"1.0.0","isAvailable":false}`},
		{"/api/set-release-rollout", `{"releaseId":1,"version":"1.0.0","percentage":0}`},
		{"/api/set-release-channel", `{"releaseId":1,"version":"1.0.0","channel":"beta"}`},
		{"/api/set-release-required", `{"releaseId":1,"version":"1.0.0","isRequired":true}`},
	} {
		offer(g, "1.0.0")
		g.Later(time.Second)
		offers(g, "1.0.0")
		offer(g, "0.9.0")
		g.Post(change.path, change.body, apitest.Bearer(admin)).Is(http.StatusOK)
		offers(g, "0.9.0")

		// No answer is no proof that nothing has happened.
		offer(g, "0.8.0")
		g.Releases.Fail(fault.New(fault.Unavailable, "unavailable", "Please try again."))
		g.Post(change.path, change.body, apitest.Bearer(admin)).Fails(http.StatusServiceUnavailable, "unavailable")
		g.Releases.Fail(nil)
		offers(g, "0.8.0")
		if t.Failed() {
			t.Fatalf("change %d", i)
		}
	}
}

// TestNothingOldIsOfferedWhileTheServiceIsAway: it may have been taken back for a reason.
func TestNothingOldIsOfferedWhileTheServiceIsAway(t *testing.T) {
	g := apitest.Start(t)
	offer(g, "1.0.0")
	offers(g, "1.0.0")
	g.Releases.Fail(fault.New(fault.Unavailable, "unavailable", "Please try again."))
	g.Later(time.Second)
	for _, path := range []string{feedPath, downloadsPath} {
		a := g.Get(path).Fails(http.StatusServiceUnavailable, "unavailable")
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("ETag") != "" {
			t.Errorf("%s: the failure may be kept: %v", path, a.Header)
		}
	}
	g.Releases.Fail(nil)
	offers(g, "1.0.0")
}

func TestAClientThatHasTheAnswerIsToldSo(t *testing.T) {
	g := apitest.Start(t)
	for _, path := range []string{feedPath, downloadsPath} {
		offer(g, "1.0.0")
		g.Later(time.Second)
		first := g.Get(path).Is(http.StatusOK)
		tag := first.Header.Get("ETag")
		if again := g.Get(path); tag == "" || again.Header.Get("ETag") != tag || again.Header.Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: %v, then %v", path, first.Header, again.Header)
		}
		for _, has := range []string{tag, "W/" + tag, `"x", ` + tag, tag + `,"a,b"`, "*"} {
			a := g.Get(path, apitest.Header("If-None-Match", has)).Is(http.StatusNotModified)
			if len(a.Body) > 0 || a.Header.Get("ETag") != tag || a.Header.Get("Cache-Control") != "no-cache" || a.Header.Get("Vary") != first.Header.Get("Vary") {
				t.Errorf("%s, %s: %v %q", path, has, a.Header, a.Body)
			}
		}
		g.Get(path, apitest.Header("If-None-Match", `"x"`), func(r *http.Request) { r.Header.Add("If-None-Match", tag) }).Is(http.StatusNotModified)
		for _, has := range []string{`"x"`, "x", strings.Trim(tag, `"`), tag[:len(tag)-1], `"*"`, ",,", "W/"} {
			g.Get(path, apitest.Header("If-None-Match", has)).Is(http.StatusOK)
		}
		offer(g, "2.0.0")
		g.Later(time.Second)
		if a := g.Get(path, apitest.Header("If-None-Match", tag)).Is(http.StatusOK); a.Header.Get("ETag") == tag {
			t.Errorf("%s: another answer has the same tag", path)
		}
	}
}
