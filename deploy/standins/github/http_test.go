package github_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/errtest"
)

func fetch(t *testing.T, method, url string, header ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	errtest.None(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Do(req)
	errtest.None(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	errtest.None(t, err)
	return resp, body
}

func listURL(s *github.Server) string {
	return s.URL() + "/repos/" + github.Owner + "/" + github.Repo + "/releases"
}

func TestAnUnchangedListIs304AndFreeForAuthorisedRequests(t *testing.T) {
	s := start(t)
	auth := []string{"Authorization", "Bearer " + github.Token}
	first, _ := fetch(t, http.MethodGet, listURL(s), auth...)
	etag := first.Header.Get("ETag")
	if !strings.HasPrefix(etag, `W/"`) {
		t.Fatalf("ETag %q", etag)
	}

	again, body := fetch(t, http.MethodGet, listURL(s), append(auth, "If-None-Match", etag)...)
	if again.StatusCode != http.StatusNotModified || len(body) != 0 || again.Header.Get("ETag") != etag {
		t.Fatalf("%d with %d bytes", again.StatusCode, len(body))
	}
	if got, want := s.Usage(), (github.Usage{Requests: 2, NotModified: 1, Charged: 1}); got != want {
		t.Errorf("usage %+v, want %+v", got, want)
	}
	if again.Header.Get("X-RateLimit-Used") != "1" {
		t.Errorf("used %s", again.Header.Get("X-RateLimit-Used"))
	}

	s.Put(github.Release{Tag: "v2.0.0", Published: time.Now(), Assets: github.Build("2.0.0")})
	changed, _ := fetch(t, http.MethodGet, listURL(s), append(auth, "If-None-Match", etag)...)
	if changed.StatusCode != http.StatusOK || changed.Header.Get("ETag") == etag {
		t.Errorf("after a change: %d, %s", changed.StatusCode, changed.Header.Get("ETag"))
	}
}

func TestDownloadsAreTheVeryBytesUnderTheirName(t *testing.T) {
	s := start(t)
	release := s.Releases()[2]
	image := release.Assets[0]
	url := fmt.Sprintf("%s/%s/%s/releases/download/%s/%s", s.URL(), github.Owner, github.Repo, release.Tag, image.Name)

	resp, body := fetch(t, http.MethodGet, url)
	if resp.StatusCode != http.StatusOK || !bytes.Equal(body, image.Content) {
		t.Fatalf("%d, %d bytes", resp.StatusCode, len(body))
	}
	if got := resp.Header.Get("Content-Disposition"); got != "attachment; filename="+image.Name {
		t.Errorf("Content-Disposition %q", got)
	}
	part, body := fetch(t, http.MethodGet, url, "Range", "bytes=0-9")
	if part.StatusCode != http.StatusPartialContent || !bytes.Equal(body, image.Content[:10]) {
		t.Errorf("range: %d %q", part.StatusCode, body)
	}
	fetch(t, http.MethodHead, url)
	if got := s.Releases()[2].Assets[0].Downloads; got != image.Downloads+2 {
		t.Errorf("counted %d, want %d", got, image.Downloads+2)
	}
	if draft, _ := fetch(t, http.MethodGet, strings.ReplaceAll(url, "1.1.0", "1.3.0")); draft.StatusCode != http.StatusNotFound {
		t.Errorf("draft: %d", draft.StatusCode)
	}
}

func TestBuildsAreStableValidAndTruthful(t *testing.T) {
	one, two := github.Build("1.4.0"), github.Build("1.4.0")
	files := map[string][]byte{}
	for i, a := range one {
		if !bytes.Equal(a.Content, two[i].Content) {
			t.Errorf("%s differs between two builds", a.Name)
		}
		files[a.Name] = a.Content
	}
	for _, arch := range []string{"arm64", "x64"} {
		name := "Fledge-1.4.0-" + arch + "-mac.zip"
		if _, err := zip.NewReader(bytes.NewReader(files[name]), int64(len(files[name]))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sum := sha512.Sum512(files[name])
		line := fmt.Sprintf("  - url: %s\n    sha512: %s\n    size: %d\n", name, base64.StdEncoding.EncodeToString(sum[:]), len(files[name]))
		if !strings.Contains(string(files["latest-mac.yml"]), line) {
			t.Errorf("latest-mac.yml lacks %q:\n%s", line, files["latest-mac.yml"])
		}
	}
	if bytes.Equal(files["Fledge-1.4.0-arm64.dmg"], files["Fledge-1.4.0-x64.dmg"]) {
		t.Error("both disk images have the same bytes")
	}
}

func TestFaultsComeAndGo(t *testing.T) {
	s := start(t)
	s.SetFault(github.Fault{Status: http.StatusBadGateway, Body: "<html>Unicorn!</html>"})
	if resp, body := fetch(t, http.MethodGet, listURL(s)); resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), "Unicorn") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}

	s.SetFault(github.Fault{Hangup: true})
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if resp, err := c.Get(listURL(s)); err == nil {
		_ = resp.Body.Close()
		t.Errorf("hang-up answered %d", resp.StatusCode)
	}

	s.SetFault(github.Fault{Delay: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, listURL(s), nil)
	errtest.None(t, err)
	if resp, err := c.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Errorf("a delayed answer came at once: %d", resp.StatusCode)
	}

	s.SetFault(github.Fault{})
	if resp, _ := fetch(t, http.MethodGet, listURL(s)); resp.StatusCode != http.StatusOK {
		t.Errorf("after recovery: %d", resp.StatusCode)
	}
}

func TestReleasesCanBeEditedAndRemoved(t *testing.T) {
	s := start(t, github.Release{Tag: "v0.1.0", Published: time.Now(), Assets: github.Build("0.1.0")})
	r := s.Releases()[0]
	r.Name = "First"
	r.Assets[0].State = "starter"
	s.Put(r)
	got := s.Releases()
	if len(got) != 1 || got[0].Name != "First" || got[0].ID != r.ID || got[0].Assets[0].State != "starter" {
		t.Fatalf("after the edit: %+v", got)
	}
	if !s.Remove(r.ID) || s.Remove(r.ID) || len(s.Releases()) != 0 {
		t.Error("remove must delete once")
	}
}

func TestThePageListsEveryRelease(t *testing.T) {
	s := start(t)
	resp, body := fetch(t, http.MethodGet, s.URL()+"/")
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	for _, want := range []string{"v1.3.0", "draft", "prerelease", "Fledge-1.1.0-arm64.dmg", "148 downloads"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("page lacks %q", want)
		}
	}
}

func TestRefusesToListenForOtherMachines(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.com:0", "nonsense", "[::]:0"} {
		if s, err := github.Start(t.Context(), github.Options{Addr: addr}); err == nil {
			_ = s.Close(t.Context())
			t.Errorf("%s was accepted", addr)
		}
	}
}
