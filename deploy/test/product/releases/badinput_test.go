package releases

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// call sends a request as the admin and returns the status and the body.
func (r *rig) call(method, url, body string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, url, strings.NewReader(body))
	errtest.None(r.t, err)
	admin, _ := authn.FromContext(r.admin())
	req.Header.Set("Authorization", "Bearer "+admin.Bearer)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := plain.Do(req)
	errtest.None(r.t, err)
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	errtest.None(r.t, err)
	return resp.StatusCode, string(content)
}

// TestATokenThatGitHubRefuses leaves the last good list, and shows up nowhere.
func TestATokenThatGitHubRefuses(t *testing.T) {
	r := start(t)
	base := r.serve()
	r.github.SetFault(github.Fault{Status: http.StatusUnauthorized, Body: `{"message":"Bad credentials"}`})
	errtest.None(t, r.pass(time.Hour))
	status, body := r.call(http.MethodGet, base+"/api/get-github-releases", "")
	if status != http.StatusOK || !strings.Contains(body, `"version":"1.1.0"`) {
		t.Errorf("%d %s", status, body)
	}
	waittest.Eventually(r.t, "the refusal in the log", func() bool { return strings.Contains(r.log.String(), "401") })
	if strings.Contains(body+r.log.String(), github.Token) {
		t.Error("the token is shown")
	}
	// What is ours goes on without GitHub.
	id := r.find("1.1.0").GetId()
	toggle, err := json.Marshal(map[string]any{"releaseId": id, "version": "1.1.0", "isAvailable": true})
	errtest.None(t, err)
	if status, body := r.call(http.MethodPost, base+"/api/toggle-release-availability", string(toggle)); status != http.StatusOK {
		t.Errorf("toggle: %d %s", status, body)
	}
	rollOut, err := json.Marshal(map[string]any{"releaseId": id, "version": "1.1.0", "percentage": 50})
	errtest.None(t, err)
	if status, body := r.call(http.MethodPost, base+"/api/set-release-rollout", string(rollOut)); status != http.StatusOK {
		t.Errorf("rollout: %d %s", status, body)
	}
}

// TestHostileReleasesBecomeHarmless: what a release says about itself comes out
// clean wherever it is shown.
func TestHostileReleasesBecomeHarmless(t *testing.T) {
	r := start(t)
	base := r.serve()
	assets := github.Build("2.0.0")
	assets[0].Name = "../../x\r\nSet-Cookie: a=\"b\"-arm64.dmg"
	assets = append(assets, github.Asset{Name: strings.Repeat("n", 300) + ".txt", Content: []byte("x")})
	r.github.Put(github.Release{
		Tag: "v2.0.0", Name: "<script>alert(1)</script>\u202e" + strings.Repeat("N", 100_000), Body: "<script>\u202e\x1b[31m\nversion: 9.9.9\n" + strings.Repeat("ü", 100_000),
		Published: time.Now(), Assets: assets,
	})
	r.offer("2.0.0")
	status, body := r.call(http.MethodGet, base+"/api/get-github-releases", "")
	var list struct {
		Releases []struct {
			Name, Version string
			Assets        []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK || list.Releases[0].Version != "2.0.0" {
		t.Fatalf("%d %.200s, %v", status, body, err)
	}
	if name := list.Releases[0].Name; len(name) > 130 || strings.Contains(name, "\u202e") {
		t.Errorf("name %q", name)
	}
	for _, a := range list.Releases[0].Assets {
		if len(a.Name) > 128 || strings.ContainsAny(a.Name, "/\\\"\r\n :=") || strings.Contains(a.Name, "..") {
			t.Errorf("asset %q", a.Name)
		}
	}
	_, feed := r.fetch(base + "/api/updates/latest-mac.yml")
	if len(feed) > 30_000 || strings.Count(feed, "\nversion:")+strings.Count(feed, "\x1b")+strings.Count(feed, "\u202e") > 0 {
		t.Errorf("the notes break out of the feed:\n%.500s", feed)
	}
	if o := r.look(app{Feed: base + "/api/updates", Arch: "arm64", Version: "1.0.0", Install: true})[0]; o.Error != "" || o.Installed != archives("2.0.0")["arm64"] {
		t.Errorf("the updater: %s", o)
	}
	var offers map[string]struct{ URL, Filename, Version string }
	_, body = r.fetch(base + "/api/get-latest-downloads")
	if err := json.Unmarshal([]byte(body), &offers); err != nil || len(offers) != 2 {
		t.Fatalf("%s, %v", body, err)
	}
	for arch, offer := range offers {
		if resp, _ := r.fetch(base + offer.URL); resp.StatusCode != http.StatusFound || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %s leads to %d", arch, offer.URL, resp.StatusCode)
		}
	}
}
