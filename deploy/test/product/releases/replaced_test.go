package releases

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestReplacedBytesAreNeverServed under a release that was decided on with others, not even before GitHub is
// looked at again: people get the file that was checked, or none, until staff have decided anew.
func TestReplacedBytesAreNeverServed(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := start(t)
		base := r.serve()
		r.github.SetPrivate(private)
		r.offer("1.1.0")
		const known, unknown = "/api/download/1.1.0/Fledge-1.1.0-arm64.dmg", "/api/download/1.1.0/Fledge-1.1.0-x64.dmg"
		get := func(path string) (status int, content string) {
			resp, body := r.fetch(base + path)
			if resp.StatusCode != http.StatusFound {
				return resp.StatusCode, body
			}
			resp, content = r.fetch(resp.Header.Get("Location"))
			return resp.StatusCode, content
		}
		checked := github.Build("1.1.0")
		if status, content := get(known); status != http.StatusOK || content != string(checked[0].Content) {
			t.Fatalf("private %t: %d, %d bytes", private, status, len(content))
		}

		other := bytes.Repeat([]byte("other"), 1000)
		for _, release := range r.github.Releases() {
			if release.Tag == "v1.1.0" {
				for i := range 2 {
					release.Assets[i] = github.Asset{Name: release.Assets[i].Name, Content: other}
				}
				r.github.Put(release)
			}
		}
		// The address that is kept is that of the upload before; GitHub is asked about the other file.
		if status, content := get(known); content == string(other) {
			t.Errorf("private %t: the address that is kept leads to other bytes: %d", private, status)
		}
		status, content := get(unknown)
		if content == string(other) || status == http.StatusOK || status == http.StatusFound {
			t.Errorf("private %t: %d with %d bytes, before GitHub was looked at", private, status, len(content))
		}
		waittest.Eventually(t, "the look at GitHub that the download asks for", func() bool {
			var waits bool
			err := r.db.QueryRow(t.Context(), "SELECT replaced_at IS NOT NULL AND NOT is_available FROM releases WHERE version = '1.1.0'").Scan(&waits)
			return err == nil && waits
		})
		r.clock.Advance(shown)
		for _, path := range []string{known, unknown} {
			if status, _ := get(path); status != http.StatusNotFound {
				t.Errorf("private %t: %s of a release that waits for a decision: %d", private, path, status)
			}
		}
		r.enable("1.1.0")
		if status, content := get(unknown); status != http.StatusOK || content != string(other) {
			t.Errorf("private %t: after it was enabled again: %d, %d bytes", private, status, len(content))
		}
	}
}

// TestADownloadIsCountedOnce, whoever it is for, and what only looks, or takes a part, is not.
func TestADownloadIsCountedOnce(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := start(t)
		base := r.serve()
		r.github.SetPrivate(private)
		r.offer("1.1.0")
		const path = "/api/download/1.1.0/Fledge-1.1.0-arm64.dmg"
		counted := func() int64 {
			t.Helper()
			list, err := r.list()
			errtest.None(t, err)
			return list["1.1.0"].GetSiteDownloadCount()
		}
		ask := func(method, path string, header ...string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
			errtest.None(t, err)
			for pair := range slices.Chunk(header, 2) {
				req.Header.Set(pair[0], pair[1])
			}
			resp, err := (&http.Client{Transport: plain.Transport}).Do(req) // to the storage, as a browser goes
			errtest.None(t, err)
			defer func() { _ = resp.Body.Close() }()
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode >= 300 {
				t.Errorf("%s %s %v: %d, %v", method, path, header, resp.StatusCode, err)
			}
		}
		ask(http.MethodHead, path)
		ask(http.MethodHead, "/api/download/arm64")
		ask(http.MethodGet, path, "Range", "bytes=1000-1999")
		ask(http.MethodGet, path, "Range", "bytes=1000-")
		ask(http.MethodGet, path, "Range", "bytes=-1000")
		ask(http.MethodGet, path, "Sec-Purpose", "prefetch")
		ask(http.MethodGet, path, "Sec-Purpose", "prefetch;prerender")
		ask(http.MethodGet, path, "X-Moz", "prefetch")
		if n := counted(); n != 0 {
			t.Errorf("private %t: what is no download is counted %d times", private, n)
		}
		ask(http.MethodGet, path)
		if n := counted(); n != 1 {
			t.Errorf("private %t: a download is counted %d times", private, n)
		}
		ask(http.MethodGet, path, "Range", "bytes=0-") // how some browsers begin, and then resume
		ask(http.MethodGet, path, "Range", "bytes=4096-")
		if n := counted(); n != 2 {
			t.Errorf("private %t: with one that is resumed %d are counted", private, n)
		}
	}
}

// TestTheSecondaryLimitIsWaitedOut: GitHub is not asked again before the time that it names, by the list or
// for files; what it said last goes on.
func TestTheSecondaryLimitIsWaitedOut(t *testing.T) {
	r := start(t)
	base := r.serve()
	r.offer("1.1.0")
	const path = "/api/download/1.1.0/Fledge-1.1.0-arm64.dmg"
	serves := func(path string, want int) {
		t.Helper()
		if resp, body := r.fetch(base + path); resp.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", path, resp.StatusCode, body, want)
		}
	}
	serves(path, http.StatusFound)
	r.github.Put(github.Release{Tag: "v3.0.0", Published: time.Now(), Assets: github.Build("3.0.0")})
	r.github.LimitSecondary(time.Now().Add(10 * time.Minute))
	if list, err := r.list(); err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", versions(list), err)
	}
	waittest.Eventually(t, "the limit in the log", func() bool { return strings.Contains(r.log.String(), "rate limited for") })
	asked := r.github.Usage()
	if asked.TooSoon == 0 {
		t.Fatalf("%+v", asked)
	}
	errtest.None(t, r.pass(9*time.Minute))
	if list, err := r.list(); err != nil || len(list) != 3 {
		t.Errorf("%v, %v", versions(list), err)
	}
	serves(path, http.StatusFound) // by the address that still works
	r.buttons("1.1.0")
	if got := r.github.Usage(); got.Requests != asked.Requests {
		t.Errorf("the list was asked for %d times more", got.Requests-asked.Requests)
	}
	// Files have their own rest, by the machine's clock: one question for all of them. The repository is public.
	serves("/api/download/1.1.0/Fledge-1.1.0-x64.dmg", http.StatusFound)
	serves("/api/download/1.1.0/latest-mac.yml", http.StatusFound)
	if got := r.github.Usage(); got.Requests > asked.Requests+1 {
		t.Errorf("files were asked for %d times", got.Requests-asked.Requests)
	}

	r.github.LimitSecondary(time.Time{})
	r.await("what is new at GitHub", func() bool {
		list, err := r.list()
		return err == nil && list["3.0.0"] != nil
	})
	r.clock.Advance(11 * time.Minute)
	serves("/api/download/1.1.0/Fledge-1.1.0-x64.dmg", http.StatusFound)
}

// TestTheUpdaterTakesAUniversalBuild on every kind of Mac, beside the disk image that both buttons lead to.
func TestTheUpdaterTakesAUniversalBuild(t *testing.T) {
	r := start(t)
	base := r.serve()
	build := github.Build("2.0.0")
	image := github.Asset{Name: "Fledge-2.0.0-universal.dmg", Content: build[0].Content}
	archive := github.Asset{Name: "Fledge-2.0.0-universal-mac.zip", Content: build[2].Content}
	r.github.Put(github.Release{Tag: "v2.0.0", Published: time.Now(), Assets: []github.Asset{image, archive}})
	r.offer("2.0.0")
	apps := []app{{Arch: "arm64"}, {Arch: "x64"}, {Arch: "x64", Rosetta: true}}
	for i := range apps {
		apps[i].Feed, apps[i].Version, apps[i].Install = base+"/api/updates", "1.0.0", true
	}
	for i, o := range r.look(apps...) {
		if o.Error != "" || o.Version != "2.0.0" || o.Installed != sha(archive.Content) {
			t.Errorf("%+v: %s\n%s", apps[i], o, strings.Join(o.Log, "\n"))
		}
	}
	for _, arch := range []string{"arm64", "x64"} {
		if resp, body := r.fetch(base + "/api/updates/darwin-" + arch + "/1.0.0"); !strings.Contains(body, "/api/download/2.0.0/Fledge-2.0.0-universal-mac.zip") {
			t.Errorf("Squirrel on %s: %d %s", arch, resp.StatusCode, body)
		}
	}
	offers, err := r.offers()
	if err != nil || len(offers) != 2 {
		t.Errorf("%v, %v", offers, err)
	}
	for arch, file := range offers {
		if file != image.Name {
			t.Errorf("the button for %s leads to %s", arch, file)
		}
	}
}
