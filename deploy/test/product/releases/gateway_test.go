package releases

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/gateway"
	"fledge.dev/services"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
)

const (
	internalToken = "0123456789abcdef0123456789abcdef"
	hookSecret    = "0123456789abcdef0123" // not-a-secret
	site          = authntest.Origin
	nobody        = "127.0.0.1:1"
)

// serve starts the gateway in front of the service and returns its address.
func (r *rig) serve() string {
	r.t.Helper()
	return r.serveFrom(r.addr)
}

// serveFrom is serve for any replica of the service.
func (r *rig) serveFrom(replica string) string {
	r.t.Helper()
	environ := []string{
		"HTTP_ADDR=127.0.0.1:0", "OPS_ADDR=", "SITE_ORIGIN=" + site, "INTERNAL_TOKEN=" + internalToken, "KRATOS_PUBLIC_URL=http://" + nobody, "REQUEST_TIMEOUT=20s",
	}
	at := map[string]string{"identity": r.identity, "releases": replica, "waitlist": r.identity}
	for _, name := range services.Names() {
		environ = append(environ, strings.ToUpper(name)+"_ADDR="+cmp.Or(at[name], nobody))
	}
	cfg, err := config.Load[gateway.Config](environ)
	errtest.None(r.t, err)
	log := &logtest.Log{}
	rt := service.NewRuntime("gateway", "test", obs.NewLogger(log, "gateway", slog.LevelInfo))
	rt.Clock = r.clock
	units, err := gateway.New(r.t.Context(), cfg, rt)
	errtest.None(r.t, err)
	servicetest.Run(r.t, rt, cfg.Base, units)
	return "http://" + log.Addr(r.t, "http listening")
}

// plain follows no redirect and keeps no connection.
var plain = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fetch returns the answer and its body.
func (r *rig) fetch(url string) (*http.Response, string) {
	r.t.Helper()
	resp, err := plain.Get(url)
	errtest.None(r.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	errtest.None(r.t, err)
	return resp, string(body)
}

// offer enables a release and waits until its checksums are known, so that apps
// are offered it.
func (r *rig) offer(version string) {
	r.t.Helper()
	r.enable(version)
	r.await("the checksums of "+version, func() bool {
		resp, err := r.client.GetUpdate(r.t.Context(), &releasesv1.GetUpdateRequest{})
		return err == nil && resp.GetUpdate().GetVersion() == version
	})
	r.clock.Advance(shown)
}

func (r *rig) disable(version string) {
	r.t.Helper()
	_, err := r.client.SetAvailability(r.admin(), &releasesv1.SetAvailabilityRequest{ReleaseId: r.find(version).GetId(), Version: version})
	errtest.None(r.t, err)
	r.clock.Advance(shown)
}

func (r *rig) rollOut(version string, percentage int32) {
	r.t.Helper()
	_, err := r.client.SetRollout(r.admin(), &releasesv1.SetRolloutRequest{ReleaseId: r.find(version).GetId(), Version: version, Percentage: percentage})
	errtest.None(r.t, err)
	r.clock.Advance(shown)
}

// TestAChangeShowsWithinASecondOnEveryReplica, where each has just looked at the one
// before it in the chain from the database to the client.
func TestAChangeShowsWithinASecondOnEveryReplica(t *testing.T) {
	r := start(t)
	first := r.serve()
	addr, second := r.replica(&logtest.Log{})
	gateways := []string{first, r.serveFrom(addr)}
	r.offer("1.0.0")
	r.offer("1.1.0")
	shows := func(want bool, version string) {
		t.Helper()
		for i, base := range gateways {
			for _, path := range []string{"/api/updates/latest-mac.yml", "/api/get-latest-downloads"} {
				if resp, body := r.fetch(base + path); resp.StatusCode != http.StatusOK || strings.Contains(body, version) != want {
					t.Errorf("gateway %d: %d %s, want %s in it: %t", i, resp.StatusCode, body, version, want)
				}
			}
		}
	}
	toggle := func(available bool, version string) {
		t.Helper()
		id := r.find(version).GetId()
		shows(!available, "1.1.0")
		r.clock.Advance(shown)
		// The other replica of the service has looked just before the change.
		if _, err := second.GetLatestDownloads(t.Context(), &releasesv1.GetLatestDownloadsRequest{}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.client.SetAvailability(r.admin(), &releasesv1.SetAvailabilityRequest{ReleaseId: id, Version: version, IsAvailable: available}); err != nil {
			t.Fatal(err)
		}
		// And the gateways have asked it just before it looks again.
		r.clock.Advance(shown / 3)
		for _, base := range gateways {
			r.fetch(base + "/api/updates/latest-mac.yml")
			r.fetch(base + "/api/get-latest-downloads")
		}
		r.clock.Advance(shown - shown/3)
		shows(available, "1.1.0")
	}
	toggle(false, "1.1.0")
	toggle(true, "1.1.0")
}

func TestSquirrelIsToldOfNewerVersions(t *testing.T) {
	r := start(t)
	base := r.serve() + "/api/updates/"
	if resp, _ := r.fetch(base + "darwin-arm64/1.0.0"); resp.StatusCode != http.StatusNoContent {
		t.Errorf("nothing is on offer: %d", resp.StatusCode)
	}
	r.offer("1.1.0")
	resp, body := r.fetch(base + "darwin-x64/1.0.0")
	const want = `{"name":"Fledge 1.1.0","notes":"Exports straight to Xcode and starts twice as fast.",` +
		`"pub_date":"2026-10-12T09:30:00Z","url":"` + site + `/api/download/1.1.0/Fledge-1.1.0-x64-mac.zip"}`
	if resp.StatusCode != http.StatusOK || body != want || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for path, status := range map[string]int{
		"darwin-arm64/1.1.0": http.StatusNoContent, "darwin-arm64/v1.2.0": http.StatusNoContent, "darwin-arm64/1.1.0-beta.1": http.StatusOK,
		"darwin-arm64/latest": http.StatusBadRequest, "darwin-arm64/1.1": http.StatusBadRequest,
		"darwin-universal/1.0.0": http.StatusNotFound, "darwin-/1.0.0": http.StatusNotFound, "win32-x64/1.0.0": http.StatusNotFound,
	} {
		if resp, body := r.fetch(base + path); resp.StatusCode != status {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	r.rollOut("1.1.0", 99)
	if resp, _ := r.fetch(base + "darwin-arm64/1.0.0"); resp.StatusCode != http.StatusNoContent {
		t.Errorf("Squirrel tells no id, and yet gets a release at 99 %%: %d", resp.StatusCode)
	}
}

// TestGitHubsWebhookBringsALook delivers what GitHub would, through the gateway.
func TestGitHubsWebhookBringsALook(t *testing.T) {
	r := start(t)
	url := r.serve() + "/api/github-webhook"
	deliver := func(secret, event, body string) int {
		t.Helper()
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = mac.Write([]byte(body)) // never fails
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		errtest.None(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-GitHub-Event", event)
		req.Header.Set("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
		req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		resp, err := plain.Do(req)
		errtest.None(t, err)
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	const body = `{"action":"published","release":{"tag_name":"v9.0.0"},"repository":{"full_name":"` + github.Owner + "/" + github.Repo + `"}}`
	asked := r.github.Usage().Requests
	for _, tc := range []struct {
		secret, event, body string
		want                int
	}{
		{"not the secret", "release", body, http.StatusBadRequest},
		{hookSecret, "ping", `{"zen":"Speak like a human."}`, http.StatusAccepted},
		{hookSecret, "push", body, http.StatusAccepted},
	} {
		if got := deliver(tc.secret, tc.event, tc.body); got != tc.want {
			t.Errorf("%s %s: %d, want %d", tc.event, tc.body, got, tc.want)
		}
	}
	if got := r.github.Usage().Requests; got != asked {
		t.Errorf("nothing of that is news, and yet GitHub was asked %d times", got-asked)
	}
	// Played back, it is another look and nothing else; so it is after the repository was renamed.
	for _, body := range []string{body, body, strings.ReplaceAll(body, github.Repo, "another")} {
		asked = r.github.Usage().Requests
		if got := deliver(hookSecret, "release", body); got != http.StatusAccepted {
			t.Fatalf("a release: %d", got)
		}
		waittest.Eventually(r.t, "a look at GitHub", func() bool { return r.github.Usage().Requests > asked })
	}
}
