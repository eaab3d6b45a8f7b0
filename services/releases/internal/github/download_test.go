package github_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/release"
)

// TestDownloadsStayWithGitHub: whatever an answer says, no request leaves for a
// host that is not GitHub's.
func TestDownloadsStayWithGitHub(t *testing.T) {
	metadata := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request left for %s", r.Host)
	}))
	t.Cleanup(metadata.Close)
	var first, target string // where an asset's address leads, and that one
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/repos/o/r/releases/assets/7" {
			http.Redirect(w, r, first, http.StatusFound)
			return
		}
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Error("a download proves who we are")
		}
		var hops int
		switch _, _ = fmt.Sscanf(r.URL.Path, "/hop/%d", &hops); {
		case r.URL.Path == "/away":
			http.Redirect(w, r, target, http.StatusFound)
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case r.URL.Path == "/missing":
			http.NotFound(w, r)
		case hops > 1:
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", hops-1), http.StatusFound)
		default:
			_, _ = io.WriteString(w, "bytes")
		}
	}))
	t.Cleanup(own.Close)
	api, err := url.Parse(own.URL + "/")
	errtest.None(t, err)
	var credential string
	read := func(url string) (string, error) {
		client := github.New(github.Repository{API: api, Owner: "o", Name: "r", Token: credential, Downloads: github.HostsFor(api)}, 5*time.Second)
		defer client.CloseIdle()
		first = url
		body, err := client.NewDownloads(clock.System()).Open(t.Context(), release.Asset{GitHubID: 7, URL: url})
		if err != nil {
			return "", err
		}
		defer func() { _ = body.Close() }()
		content, err := io.ReadAll(body)
		return string(content), err
	}

	for _, credential = range []string{"", "secret"} {
		for _, path := range []string{"/file", "/hop/4"} {
			if got, err := read(own.URL + path); err != nil || got != "bytes" {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
		for _, path := range []string{"/hop/5", "/loop", "/missing"} {
			if got, err := read(own.URL + path); err == nil {
				t.Errorf("%s: %q", path, got)
			}
		}
		_, port, _ := strings.Cut(strings.TrimPrefix(metadata.URL, "http://"), ":")
		for _, target = range []string{
			metadata.URL, "http://localhost:" + port, "http://[::1]:" + port, "http://169.254.169.254/latest/meta-data", "file:///etc/passwd",
			"http://user@" + strings.TrimPrefix(own.URL, "http://"), "ftp://127.0.0.1/x", "https://release-assets.githubusercontent.com.evil.example/x",
			"https://release-assets.githubusercontent.com/x", // the public GitHub's, and this is not it
		} {
			if got, err := read(own.URL + "/away"); err == nil {
				t.Errorf("redirect to %s: %q", target, got)
			}
			if got, err := read(target); err == nil {
				t.Errorf("%s: %q", target, got)
			}
		}
	}
}

// TestDownloadsOfAClusterStayInIt: the stand-in's files have addresses for browsers,
// which its neighbours cannot resolve.
func TestDownloadsOfAClusterStayInIt(t *testing.T) {
	standin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.Path)
	}))
	t.Cleanup(standin.Close)
	api := &url.URL{Scheme: "http", Host: "fledge-standins:8083", Path: "/"}
	hosts := github.HostsFor(api, "github.fledge.test")
	client := github.New(github.Repository{API: api, Owner: "o", Name: "r", Downloads: hosts}, 5*time.Second)
	t.Cleanup(client.CloseIdle)
	client.ResolveForTest(func(host string) string {
		if host != "fledge-standins:8083" {
			t.Errorf("a request left for %s", host)
		}
		return standin.Listener.Addr().String()
	})
	body, err := client.NewDownloads(clock.System()).Open(t.Context(), release.Asset{URL: "https://github.fledge.test/o/r/file"})
	errtest.None(t, err)
	defer func() { _ = body.Close() }()
	if got, err := io.ReadAll(body); err != nil || string(got) != "fledge-standins:8083/o/r/file" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := client.NewDownloads(clock.System()).Open(t.Context(), release.Asset{URL: "https://elsewhere.test/o/r/file"}); err == nil {
		t.Error("another host is let through")
	}
}
