package releases

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/deploy/standins/github"
)

// TestAPrivateRepository gives people and apps its builds, by addresses that GitHub has signed,
// and never our token.
func TestAPrivateRepository(t *testing.T) {
	r := start(t)
	base := r.serve()
	const path = "/api/download/1.1.0/Fledge-1.1.0-arm64.dmg"
	follow := func() (status int, address string) {
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
	r.offer("1.1.0")
	status, address := follow()
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

	// A token that may no longer read: whoever downloads is told to try again.
	r.github.SetFault(github.Fault{Status: http.StatusForbidden, Body: `{"message":"Resource not accessible by personal access token"}`})
	resp, body := r.fetch(base + "/api/download/1.1.0/Fledge-1.1.0-x64.dmg")
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "download_unavailable") {
		t.Errorf("without the right: %d %s", resp.StatusCode, body)
	}
	r.github.SetFault(github.Fault{})

	r.github.SetPrivate(false)
	r.await("addresses for browsers", func() bool {
		_, err := r.list()
		status, address := follow()
		return err == nil && status == http.StatusOK && strings.Contains(address, "/releases/download/")
	})
}
