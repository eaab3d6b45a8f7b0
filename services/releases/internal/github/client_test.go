package github_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
)

const (
	token    = "github_pat_not_a_secret"
	repoPath = "/api/v3/repos/fledge/fledge-mac"
	listPath = repoPath + "/releases"
)

// serve replays handler as GitHub's API for a public repository and returns a client for it
// that may send people to the public GitHub.
func serve(t *testing.T, handler http.HandlerFunc) *github.Client {
	t.Helper()
	return serveRepository(t, `{"id":171,"full_name":"fledge/fledge-mac","private":false}`, handler)
}

// serveRepository is serve for the repository that is described so.
func serveRepository(t *testing.T, described string, handler http.HandlerFunc) *github.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != repoPath {
			handler(w, r)
			return
		}
		etag := `"` + described + `"`
		w.Header().Set("ETag", etag)
		w.Header().Set("GitHub-Authentication-Token-Expiration", "2026-12-01 09:00:00 UTC")
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		answer(w, []byte(described))
	}))
	t.Cleanup(server.Close)
	api, err := url.Parse(server.URL + "/api/v3/")
	errtest.None(t, err)
	c := github.New(github.Repository{
		API: api, Owner: "fledge", Name: "fledge-mac", Token: token, Downloads: github.HostsFor(api, "github.com"),
	}, 2*time.Second)
	t.Cleanup(c.CloseIdle)
	return c
}

func releasesJSON(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/releases.json")
	errtest.None(t, err)
	return content
}

func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body)
}

func TestListKeepsWhatCanBeOffered(t *testing.T) {
	body := releasesJSON(t)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != listPath || r.URL.Query().Get("per_page") != "100" || r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("asked %s with %q", r.URL, r.Header.Get("Authorization"))
		}
		answer(w, body)
	})

	got, err := c.List(t.Context(), nil)
	errtest.None(t, err)
	var summary []string
	for _, r := range got.Releases {
		summary = append(summary, fmt.Sprintf("%d %s %q pre=%t assets=%d", r.GitHubID, r.Version, r.Name, r.Prerelease, len(r.Assets)))
	}
	want := []string{
		`171000007 1.10.0 "<script>alert(1)</script> 1.10" pre=false assets=3`,
		`171000006 1.9.0 "1.9.0" pre=false assets=0`,
		`171000004 1.9.0-beta.1 "Beta" pre=true assets=0`,
	}
	if strings.Join(summary, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(summary, "\n"), strings.Join(want, "\n"))
	}
	if !got.Complete || got.Unchanged {
		t.Errorf("complete %t, unchanged %t", got.Complete, got.Unchanged)
	}

	arm := got.Releases[0].Assets[0]
	if arm != (release.Asset{
		GitHubID: 262000011, Name: "Fledge-1.10.0-arm64.dmg", Size: 91226112, DownloadCount: 148,
		URL: "https://github.com/fledge/fledge-mac/releases/download/v1.10.0/Fledge-1.10.0-arm64.dmg",
	}) {
		t.Errorf("arm64: %+v", arm)
	}
	if evil := got.Releases[0].Assets[2]; evil.Name != "evil---.dmg" {
		t.Errorf("a hostile name became %q", evil.Name)
	}
	skipped := strings.Join(got.Skipped, "\n")
	for _, part := range []string{`"nightly" is not a semantic version`, "version 1.9.0 exists twice", `state "starter"`, "169.254.169.254"} {
		if !strings.Contains(skipped, part) {
			t.Errorf("skipped does not tell of %s:\n%s", part, skipped)
		}
	}
}

// TestAListingSaysWhoseItIs, and until when the token is good, also when nothing is new.
func TestAListingSaysWhoseItIs(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, releasesJSON(t)) })
	var known []mirror.Page
	for range 2 {
		got, err := c.List(t.Context(), known)
		if err != nil || got.ID != 171 || got.Name != "fledge/fledge-mac" || !got.TokenEnds.Equal(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)) {
			t.Errorf("%d, %q, until %s, %v", got.ID, got.Name, got.TokenEnds, err)
		}
		known = got.Pages
	}
}

func TestAnAnswerThatIsNoRepositoryIsAnError(t *testing.T) {
	for _, described := range []string{"null", "{}"} {
		got, err := serveRepository(t, described, func(w http.ResponseWriter, _ *http.Request) { answer(w, releasesJSON(t)) }).List(t.Context(), nil)
		if err == nil {
			t.Errorf("%s: %+v", described, got)
		}
	}
}

// TestWhereAListingEnds is known from when its releases were created, if they are in that order,
// whenever they were published.
func TestFailuresAreErrors(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"server error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"bad token": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			answer(w, []byte(`{"message":"Bad credentials"}`))
		},
		"a web page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Unicorn!</html>")) },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			_, _ = w.Write([]byte("["))
		},
		"hang-up":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"null":       func(w http.ResponseWriter, _ *http.Request) { answer(w, []byte(`null`)) },
		"not a list": func(w http.ResponseWriter, _ *http.Request) { answer(w, []byte(`{"id":1}`)) },
		"an empty page that was announced": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("page") == "2" {
				answer(w, []byte("[]"))
				return
			}
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=2>; rel="next"`, r.Host, r.URL.Path))
			answer(w, releasesJSON(t))
		},
		"surprise 304": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
	} {
		got, err := serve(t, handler).List(t.Context(), nil)
		if err == nil {
			t.Errorf("%s gave %+v", name, got)
			continue
		}
		if strings.Contains(err.Error(), token) {
			t.Errorf("%s: the error holds the token: %v", name, err)
		}
		if name == "an empty page that was announced" && !strings.Contains(err.Error(), "an empty list") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id":1,"tag_name":"`))
		chunk := []byte(strings.Repeat("a", 1<<20))
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	if _, err := c.List(t.Context(), nil); err == nil {
		t.Fatal("an endless answer was taken")
	}
}

func TestASilentGitHubEndsInTime(t *testing.T) {
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	began := time.Now()
	if _, err := c.List(t.Context(), nil); err == nil || time.Since(began) > 30*time.Second {
		t.Fatalf("after %s: %v", time.Since(began), err)
	}
}

// TestRateLimitsSayHowLong, whatever the clock of this machine says.
func TestRateLimitsSayHowLong(t *testing.T) {
	const wait = 17 * time.Minute
	there := time.Now().Add(24 * time.Hour)
	for name, handler := range map[string]http.HandlerFunc{
		"primary": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", there.UTC().Format(http.TimeFormat))
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", fmt.Sprint(there.Add(wait).Unix()))
			w.WriteHeader(http.StatusForbidden)
			answer(w, []byte(`{"message":"API rate limit exceeded for 192.0.2.1."}`))
		},
		"secondary": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
			w.WriteHeader(http.StatusForbidden)
			answer(w, []byte(`{"message":"wait","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`))
		},
		"with another text": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
			w.WriteHeader(http.StatusForbidden)
			answer(w, []byte(`{"message":"wait"}`))
		},
		"too many": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
			w.WriteHeader(http.StatusTooManyRequests)
			answer(w, []byte(`{"message":"wait"}`))
		},
		"until a time": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", there.UTC().Format(http.TimeFormat))
			w.Header().Set("Retry-After", there.Add(wait).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
		},
	} {
		_, err := serve(t, handler).List(t.Context(), nil)
		var limited *mirror.RateLimitedError
		if !errors.As(err, &limited) || limited.Wait != wait {
			t.Errorf("%s: got %v, want a wait of %s", name, err, wait)
		}
	}
}

// TestASecondaryLimitWithoutATimeIsAMinute: GitHub makes whoever comes back sooner wait longer.
func TestASecondaryLimitWithoutATimeIsAMinute(t *testing.T) {
	for _, body := range []string{
		`{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`,
		`{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.","documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"}`,
		`{"message":"You have triggered an abuse detection mechanism. Please wait a few minutes before you try again."}`,
	} {
		for _, status := range []int{http.StatusForbidden, http.StatusTooManyRequests} {
			_, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				answer(w, []byte(body))
			}).List(t.Context(), nil)
			var limited *mirror.RateLimitedError
			if !errors.As(err, &limited) || limited.Wait != time.Minute {
				t.Errorf("%d %s: %v", status, body, err)
			}
		}
	}
}

// TestATokenThatLostItsRightIsNamedAsThat, so that an operator need not guess.
func TestATokenThatLostItsRightIsNamedAsThat(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusUnauthorized: "GITHUB_TOKEN is not valid",
		http.StatusForbidden:    "needs Contents: read",
		http.StatusNotFound:     "there is no fledge/fledge-mac, or GITHUB_TOKEN may not see it",
	} {
		_, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			answer(w, []byte(`{"message":"Resource not accessible by personal access token"}`))
		}).List(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestWithoutATokenNoneIsBlamed.
func TestWithoutATokenNoneIsBlamed(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusForbidden: "fledge/fledge-mac cannot be read without GITHUB_TOKEN",
		http.StatusNotFound:  "there is no fledge/fledge-mac, or it is private, which needs GITHUB_TOKEN",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			answer(w, []byte(`{"message":"Not Found"}`))
		}))
		t.Cleanup(server.Close)
		api, err := url.Parse(server.URL + "/")
		errtest.None(t, err)
		client := github.New(github.Repository{API: api, Owner: "fledge", Name: "fledge-mac", Downloads: github.HostsFor(api)}, 2*time.Second)
		t.Cleanup(client.CloseIdle)
		if _, err := client.List(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestFilesOfAPrivateRepositoryAreTheAPIs: the addresses for browsers lead nobody anywhere.
func TestFilesOfAPrivateRepositoryAreTheAPIs(t *testing.T) {
	c := serveRepository(t, `{"full_name":"fledge/fledge-mac","private":true}`, func(w http.ResponseWriter, _ *http.Request) { answer(w, releasesJSON(t)) })
	got, err := c.List(t.Context(), nil)
	errtest.None(t, err)
	if url := got.Releases[0].Assets[0].URL; !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, listPath+"/assets/262000011") {
		t.Errorf("URL %s", url)
	}
}

func TestRedirectsStayOnTheAPIAndTheTokenWithThem(t *testing.T) {
	var stolen atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Store(true)
	}))
	t.Cleanup(elsewhere.Close)
	for _, target := range []string{elsewhere.URL, "http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "https://127.0.0.1/"} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
		if _, err := c.List(t.Context(), nil); err == nil {
			t.Errorf("%s was followed", target)
		}
	}
	if stolen.Load() {
		t.Error("another host was asked")
	}

	renamed := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == listPath {
			http.Redirect(w, r, "/api/v3/repositories/4711/releases?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("the redirected request has %q", r.Header.Get("Authorization"))
		}
		answer(w, []byte(`[{"id":1,"tag_name":"v1.0.0"}]`))
	})
	if got, err := renamed.List(t.Context(), nil); err != nil || len(got.Releases) != 1 {
		t.Errorf("a renamed repository: %+v, %v", got, err)
	}
}
