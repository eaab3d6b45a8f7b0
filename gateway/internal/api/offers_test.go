package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const downloadsPath = "/api/get-latest-downloads"

// offer has the service offer a version from now on.
func (g *gateway) offer(version string) {
	g.releases.updates = toEverybody(&releasesv1.Update{Version: version})
	g.releases.downloads = []*releasesv1.Download{{Arch: releasesv1.Arch_ARCH_ARM64, Filename: "Fledge.dmg", Version: version}}
}

// offers fails the test unless both answers are about the version.
func (g *gateway) offers(version string) {
	g.t.Helper()
	for _, path := range []string{feedPath, downloadsPath} {
		if a := g.get(path).is(http.StatusOK); !strings.Contains(string(a.body), `"`+version+`"`) {
			g.t.Errorf("%s offers %s, want %s", path, a.body, version)
		}
	}
}

func TestWhatIsOnOfferIsAnsweredFromMemoryForHalfASecond(t *testing.T) {
	g := start(t)
	g.stop()
	g.offer("1.0.0")
	for range 100 {
		g.offers("1.0.0")
	}
	if n := g.releases.count(); n != 2 {
		t.Errorf("200 requests became %d calls, want one of each kind", n)
	}
	g.offer("2.0.0")
	g.later(time.Second / 2)
	g.offers("2.0.0")
}

func TestWhatStaffChangeShowsAtOnce(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@fledge.test")
	for i, change := range []struct{ path, body string }{
		{"/api/toggle-release-availability", `{"releaseId":1,"version":"1.0.0","isAvailable":false}`},
		{"/api/set-release-rollout", `{"releaseId":1,"version":"1.0.0","percentage":0}`},
	} {
		g.offer("1.0.0")
		g.later(time.Second)
		g.offers("1.0.0")
		g.offer("0.9.0")
		g.post(change.path, change.body, bearer(admin)).is(http.StatusOK)
		g.offers("0.9.0")

		// No answer is no proof that nothing has happened.
		g.offer("0.8.0")
		g.releases.fail(fault.New(fault.Unavailable, "unavailable", "Please try again."))
		g.post(change.path, change.body, bearer(admin)).fails(http.StatusServiceUnavailable, "unavailable")
		g.releases.fail(nil)
		g.offers("0.8.0")
		if t.Failed() {
			t.Fatalf("change %d", i)
		}
	}
}

// TestNothingOldIsOfferedWhileTheServiceIsAway: it may have been taken back for a reason.
func TestNothingOldIsOfferedWhileTheServiceIsAway(t *testing.T) {
	g := start(t)
	g.offer("1.0.0")
	g.offers("1.0.0")
	g.releases.fail(fault.New(fault.Unavailable, "unavailable", "Please try again."))
	g.later(time.Second)
	for _, path := range []string{feedPath, downloadsPath} {
		a := g.get(path).fails(http.StatusServiceUnavailable, "unavailable")
		if a.header.Get("Cache-Control") != "no-store" || a.header.Get("ETag") != "" {
			t.Errorf("%s: the failure may be kept: %v", path, a.header)
		}
	}
	g.releases.fail(nil)
	g.offers("1.0.0")
}

func TestAClientThatHasTheAnswerIsToldSo(t *testing.T) {
	g := start(t)
	for _, path := range []string{feedPath, downloadsPath} {
		g.offer("1.0.0")
		g.later(time.Second)
		first := g.get(path).is(http.StatusOK)
		tag := first.header.Get("ETag")
		if again := g.get(path); tag == "" || again.header.Get("ETag") != tag || again.header.Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: %v, then %v", path, first.header, again.header)
		}
		for _, has := range []string{tag, "W/" + tag, `"x", ` + tag, tag + `,"a,b"`, "*"} {
			a := g.get(path, header("If-None-Match", has)).is(http.StatusNotModified)
			if len(a.body) > 0 || a.header.Get("ETag") != tag || a.header.Get("Cache-Control") != "no-cache" || a.header.Get("Vary") != first.header.Get("Vary") {
				t.Errorf("%s, %s: %v %q", path, has, a.header, a.body)
			}
		}
		g.get(path, header("If-None-Match", `"x"`), func(r *http.Request) { r.Header.Add("If-None-Match", tag) }).is(http.StatusNotModified)
		for _, has := range []string{`"x"`, "x", strings.Trim(tag, `"`), tag[:len(tag)-1], `"*"`, ",,", "W/"} {
			g.get(path, header("If-None-Match", has)).is(http.StatusOK)
		}
		g.offer("2.0.0")
		g.later(time.Second)
		if a := g.get(path, header("If-None-Match", tag)).is(http.StatusOK); a.header.Get("ETag") == tag {
			t.Errorf("%s: another answer has the same tag", path)
		}
	}
}
