package releases

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/standins/github"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"
)

// TestAPrivateRepository gives people and apps its builds, by addresses that GitHub has signed,
// and never our token.
func TestAPrivateRepository(t *testing.T) {
	r := start(t)
	base := r.serve()
	const path = "/api/download/1.1.0/Fledge-1.1.0-arm64.dmg"
	follow := func(path string) (status int, address string) {
		resp, _ := r.fetch(base + path)
		if resp.StatusCode != http.StatusFound {
			return resp.StatusCode, ""
		}
		bytes, _ := r.fetch(resp.Header.Get("Location"))
		return bytes.StatusCode, resp.Header.Get("Location")
	}
	r.github.SetPrivate(true)
	r.await("addresses by the API", func() bool {
		_, err := r.list()
		var private int
		scanErr := r.db.QueryRow(t.Context(), "SELECT count(*) FROM release_assets WHERE url LIKE '%/releases/assets/%'").Scan(&private)
		return err == nil && scanErr == nil && private > 0
	})
	if status, _ := follow(path); status != http.StatusNotFound {
		t.Errorf("before it is offered: %d", status)
	}
	link, err := r.client.CreatePreviewLink(r.admin(), &releasesv1.CreatePreviewLinkRequest{ReleaseId: r.find("1.1.0").GetId(), Version: "1.1.0", Days: 1})
	errtest.None(t, err)
	preview := "/api/preview/" + link.GetToken() + "/Fledge-1.1.0-arm64.dmg"
	if status, address := follow(preview); status != http.StatusOK || !strings.Contains(address, "/storage/") || strings.Contains(address, github.Token) {
		t.Errorf("by a preview link: %d from %s", status, address)
	}
	r.offer("1.1.0")
	status, address := follow(path)
	if status != http.StatusOK || !strings.Contains(address, "/storage/") || strings.Contains(address, github.Token) {
		t.Errorf("%d from %s", status, address)
	}
	want := archives("1.1.0")
	for _, arch := range []string{"arm64", "x64"} {
		o := r.look(app{Feed: base + "/api/updates", Arch: arch, Version: "1.0.0", Install: true})[0]
		if o.Error != "" || o.Installed != want[arch] {
			t.Errorf("the updater of %s: %s", arch, o)
		}
	}

	r.github.Rename("fledge-app") // the addresses that are kept have the name that it had
	r.await("the log of the new name", func() bool {
		_, err := r.list()
		return err == nil && strings.Contains(r.log.String(), `"to":"fledge/fledge-app"`)
	})
	if status, address := follow("/api/download/1.1.0/Fledge-1.1.0-x64.dmg"); status != http.StatusOK || !strings.Contains(address, "/storage/") {
		t.Errorf("after the repository was renamed: %d from %s", status, address)
	}

	r.github.Transfer()
	r.await("the log of the new owner", func() bool {
		_, err := r.list()
		return err == nil && strings.Contains(r.log.String(), `"to":"`+github.OtherOwner+`/fledge-app"`)
	})
	r.clock.Advance(2 * time.Minute) // beyond the address that is kept
	if status, address := follow("/api/download/1.1.0/Fledge-1.1.0-x64.dmg"); status != http.StatusOK || !strings.Contains(address, "/storage/") {
		t.Errorf("after the repository was transferred: %d from %s", status, address)
	}

	// A token that may no longer read: whoever downloads what nobody has in the last minute is told to
	// try again.
	r.enable("1.0.0")
	r.clock.Advance(shown)
	r.github.SetFault(github.Fault{Status: http.StatusForbidden, Body: `{"message":"Resource not accessible by personal access token"}`})
	for _, path := range []string{"/api/download/1.0.0/Fledge-1.0.0-arm64.dmg", "/api/download/1.1.0/latest-mac.yml"} {
		resp, body := r.fetch(base + path)
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "download_unavailable") {
			t.Errorf("%s without the right: %d %s", path, resp.StatusCode, body)
		}
	}
	r.github.SetFault(github.Fault{})

	r.github.SetPrivate(false)
	if status, address := follow(path); status != http.StatusOK || !strings.Contains(address, "/storage/") {
		t.Errorf("of a public repository: %d from %s", status, address)
	}
}
