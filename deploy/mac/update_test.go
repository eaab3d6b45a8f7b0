package mac_test

import (
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// feed answers update checks, and the archive's path by way of another host, which may see no token.
type feed struct {
	t       *testing.T
	version string
	archive string
	names   []string // of the archives; nil: one for each kind of Mac
	checks  []http.Header
}

const content = "the archive"

func (f *feed) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" {
		f.t.Errorf("%s is sent a token", req.URL)
	}
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req}
	sum := sha512.Sum512([]byte(content))
	body := f.archive
	switch req.URL.String() {
	case origin + "/api/updates/latest-mac.yml", origin + "/api/updates/beta-mac.yml":
		f.checks = append(f.checks, req.Header)
		body = fmt.Sprintf("version: %q\nminimumVersion: \"1.0.0\"\nminimumSystemVersion: \"21.0.0\"\nfiles:\n", f.version)
		names := f.names
		if names == nil {
			names = []string{"Fledge-arm64-mac.zip", "Fledge-x64-mac.zip"}
		}
		for _, name := range names {
			body += fmt.Sprintf("  - url: /api/download/%s\n    sha512: %q\n    size: %d\n", name, base64.StdEncoding.EncodeToString(sum[:]), len(content))
		}
	case origin + "/api/download/Fledge-arm64-mac.zip":
		resp.StatusCode = 302
		resp.Header.Set("Location", "https://storage.test/archive")
	case "https://storage.test/archive":
	default:
		resp.StatusCode = 404
	}
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

func TestAnUpdateIsOfferedByVersionAndChannel(t *testing.T) {
	for _, tt := range []struct {
		app     mac.App
		offered string
		want    string
	}{
		{mac.App{Version: "1.0.0", Arch: "arm64"}, "1.1.0", "1.1.0 false /api/download/Fledge-arm64-mac.zip"},
		{mac.App{Version: "1.0.0", Arch: "x64"}, "1.10.0", "1.10.0 false /api/download/Fledge-x64-mac.zip"},
		{mac.App{Version: "0.9.0", Arch: "arm64"}, "1.1.0", "1.1.0 true /api/download/Fledge-arm64-mac.zip"},
		{mac.App{Version: "1.1.0", Arch: "arm64"}, "1.1.0", ""},
		{mac.App{Version: "1.2.0-beta.1", Arch: "arm64"}, "1.1.0", ""},
		{mac.App{Version: "1.2.0-beta.1", Arch: "arm64", Channel: "latest"}, "1.1.0", "1.1.0 false /api/download/Fledge-arm64-mac.zip"},
		{mac.App{Version: "0.9.0", Arch: "x64", MacOS: "11.7"}, "1.1.0", ""},
		{mac.App{Version: "1.0.0", Arch: "x64", MacOS: "10.15"}, "1.1.0", ""},
		{mac.App{Version: "1.0.0", Arch: "x64", MacOS: "12"}, "1.1.0", "1.1.0 false /api/download/Fledge-x64-mac.zip"},
		{mac.App{Version: "1.0.0", Arch: "arm64", MacOS: "26.1"}, "1.1.0", "1.1.0 false /api/download/Fledge-arm64-mac.zip"},
		{mac.App{Version: "1.0.0", Arch: "arm64", MacOS: "unknown"}, "1.1.0", "1.1.0 false /api/download/Fledge-arm64-mac.zip"},
	} {
		f := &feed{t: t, version: tt.offered}
		c := client(t, f)
		for range 2 {
			u, err := c.CheckForUpdate(t.Context(), tt.app)
			errtest.None(t, err)
			got := ""
			if u != nil {
				got = fmt.Sprint(u.Version, " ", u.Required, " ", u.Path)
			}
			if got != tt.want {
				t.Errorf("%+v is offered %q, want %q", tt.app, got, tt.want)
			}
		}
		if id := f.checks[0].Get("X-User-Staging-Id"); id == "" || f.checks[1].Get("X-User-Staging-Id") != id || f.checks[0].Get("X-App-Version") != tt.app.Version {
			t.Errorf("the checks said %v", f.checks)
		}
	}
}

// TestAUniversalUpdateIsForBothKindsOfMac, but Apple silicon prefers its own.
func TestAUniversalUpdateIsForBothKindsOfMac(t *testing.T) {
	const own, universal = "Fledge-arm64-mac.zip", "Fledge-universal-mac.zip"
	for _, tt := range []struct {
		arch  string
		names []string
		want  string
	}{
		{"arm64", []string{universal}, universal},
		{"x64", []string{universal}, universal},
		{"arm64", []string{universal, own}, own},
		{"x64", []string{own, universal}, universal},
	} {
		c := client(t, &feed{t: t, version: "1.1.0", names: tt.names})
		u, err := c.CheckForUpdate(t.Context(), mac.App{Version: "1.0.0", Arch: tt.arch})
		if err != nil || u == nil || u.Path != "/api/download/"+tt.want {
			t.Errorf("%+v: offered %+v, %v", tt, u, err)
		}
	}
}

func TestADamagedUpdateIsNotKept(t *testing.T) {
	for archive, want := range map[string]error{content: nil, "another one": mac.ErrDamaged, content + "!": mac.ErrDamaged, "short": mac.ErrDamaged} {
		c := client(t, &feed{t: t, version: "1.1.0", archive: archive})
		u, err := c.CheckForUpdate(t.Context(), mac.App{Version: "1.0.0", Arch: "arm64"})
		errtest.None(t, err)
		dir := t.TempDir()
		err = c.Download(t.Context(), *u, filepath.Join(dir, "update.zip"))
		left, _ := os.ReadDir(dir)
		if !errors.Is(err, want) || (len(left) == 1) != (want == nil) {
			t.Errorf("%q: %v, %d files", archive, err, len(left))
		}
	}
}
