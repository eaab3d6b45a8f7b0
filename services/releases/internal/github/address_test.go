package github_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
)

// addresses is a reader of a repository's assets whose API is the handler. asked counts the requests.
type addresses struct {
	*github.Downloads
	clock *clock.Fake
	base  string
	asked int
}

func serveAddresses(t *testing.T, handler http.HandlerFunc) *addresses {
	t.Helper()
	a := &addresses{clock: clock.NewFake(time.Now())}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked++
		if r.Header.Get("Authorization") != "Bearer "+token || r.Header.Get("Accept") != "application/octet-stream" {
			t.Errorf("%s asked with %v", r.URL, r.Header)
		}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	api, err := url.Parse(server.URL + "/api/v3/")
	errtest.None(t, err)
	client := github.New(github.Repository{
		API: api, Owner: "fledge", Name: "fledge-mac", Token: token, Downloads: github.HostsFor(api),
	}, 2*time.Second)
	t.Cleanup(client.CloseIdle)
	a.Downloads, a.base = client.NewDownloads(a.clock), server.URL
	return a
}

func (a *addresses) locate(t *testing.T, asset int) (string, error) {
	t.Helper()
	return a.find(t, asset, true)
}

func (a *addresses) find(t *testing.T, asset int, current bool) (string, error) {
	t.Helper()
	return a.Locate(t.Context(), release.Asset{GitHubID: int64(asset), URL: fmt.Sprintf("%s/api/v3/repos/fledge/fledge-mac/releases/assets/%d", a.base, asset)}, current)
}

// TestFilesOfARenamedRepositoryAreFound where GitHub redirects to, on the API's own host alone.
func TestFilesOfARenamedRepositoryAreFound(t *testing.T) {
	target := "/api/v3/repositories/4711/releases/assets/1"
	a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/repositories/") {
			http.Redirect(w, r, "/storage/1?sig=2", http.StatusFound)
			return
		}
		http.Redirect(w, r, target, http.StatusMovedPermanently)
	})
	got, err := a.locate(t, 1)
	if u, parseErr := url.Parse(got); err != nil || parseErr != nil || u.Path+"?"+u.RawQuery != "/storage/1?sig=2" {
		t.Errorf("%q, %v", got, err)
	}
	for i, to := range []string{"http://169.254.169.254/latest/meta-data", "https://127.0.0.1/", "/api/v3/repos/fledge/fledge-mac/releases/assets/1"} {
		target = to
		if got, err := a.locate(t, 2+i); err == nil {
			t.Errorf("%s was followed to %s", to, got)
		}
	}
}

// TestFilesAreFoundUnderTheRepositorysNameOfToday: what was stored under another one has an id that
// stays.
func TestFilesAreFoundUnderTheRepositorysNameOfToday(t *testing.T) {
	a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != listPath+"/assets/7" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, "/storage/7", http.StatusFound)
	})
	got, err := a.Locate(t.Context(), release.Asset{GitHubID: 7, URL: a.base + "/api/v3/repos/former/name/releases/assets/7"}, true)
	if err != nil || got != a.base+"/storage/7" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestARefusalRestsForAllFiles: whoever downloads in the meantime is told the same, and GitHub is
// not asked.
func TestARefusalRestsForAllFiles(t *testing.T) {
	limited := func(err error) bool { _, ok := errors.AsType[*mirror.RateLimitedError](err); return ok }
	refused := func(err error) bool { _, ok := errors.AsType[*github.RefusedError](err); return ok }
	gone := func(err error) bool { return errors.Is(err, github.ErrGone) }
	for name, tc := range map[string]struct {
		status int
		header string
		is     func(error) bool
		says   string
		rest   time.Duration
	}{
		"a token that is not valid":   {http.StatusUnauthorized, "", refused, "GITHUB_TOKEN is not valid", 15 * time.Second},
		"a token that lost its right": {http.StatusForbidden, "", refused, "needs Contents: read", 15 * time.Second},
		"too many requests":           {http.StatusTooManyRequests, "", limited, "rate limited", time.Minute},
		"a limit with a time":         {http.StatusForbidden, "300", limited, "rate limited", 5 * time.Minute},
		"a refusal with a time":       {http.StatusTooManyRequests, "300", limited, "rate limited", 5 * time.Minute},
		"an outage with a time":       {http.StatusServiceUnavailable, "300", nil, "503", 0},
		"a bad token with a time":     {http.StatusUnauthorized, "300", refused, "GITHUB_TOKEN is not valid", 15 * time.Second},
		"a limit of a day":            {http.StatusForbidden, "86400", limited, "rate limited", time.Hour},
		"a file that is gone":         {http.StatusNotFound, "", gone, "there is no such file in fledge/fledge-mac, or GITHUB_TOKEN may not see it", 0},
		"GitHub in trouble":           {http.StatusBadGateway, "", nil, "502", 0},
		"no redirect":                 {http.StatusOK, "", nil, "no address", 0},
	} {
		a := serveAddresses(t, func(w http.ResponseWriter, _ *http.Request) {
			body := `{"message":"Resource not accessible by personal access token"}`
			if tc.header != "" {
				w.Header().Set("Retry-After", tc.header)
				body = `{"message":"wait","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
			}
			w.WriteHeader(tc.status)
			answer(w, []byte(body))
		})
		for asset := range 2 {
			_, err := a.locate(t, asset)
			if err == nil || !strings.Contains(err.Error(), tc.says) || (tc.is != nil && !tc.is(err)) || strings.Contains(err.Error(), token) {
				t.Errorf("%s: %v", name, err)
			}
		}
		want := 1
		if tc.rest == 0 {
			want = 2
		}
		if a.asked != want {
			t.Errorf("%s: GitHub was asked %d times, want %d", name, a.asked, want)
		}
		a.clock.Advance(max(tc.rest, time.Minute)) // that a file is gone is kept for a minute
		if _, err := a.locate(t, 1); err == nil || a.asked != want+1 {
			t.Errorf("%s: after %s GitHub was asked %d times: %v", name, tc.rest, a.asked, err)
		}
	}
}

// TestAnAddressServesWhileItWorks, also while GitHub does not give another one, and no longer.
func TestAnAddressServesWhileItWorks(t *testing.T) {
	trouble, sent := http.StatusOK, 0
	a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) {
		if trouble != http.StatusOK {
			w.WriteHeader(trouble)
			return
		}
		sent++
		http.Redirect(w, r, "/storage/"+strconv.Itoa(sent), http.StatusFound)
	})
	for _, step := range []struct {
		passed time.Duration
		status int
		want   string // "" for an error
		asked  int
	}{
		{0, http.StatusOK, "/storage/1", 1},
		{179 * time.Second, http.StatusBadGateway, "/storage/1", 1},
		{time.Second, http.StatusBadGateway, "/storage/1", 2},
		{14 * time.Second, http.StatusOK, "/storage/1", 2},
		{time.Second, http.StatusBadGateway, "/storage/1", 3},
		{44 * time.Second, http.StatusBadGateway, "/storage/1", 4},
		{time.Second, http.StatusBadGateway, "", 5},
		{0, http.StatusOK, "/storage/2", 6},
		{3 * time.Minute, http.StatusNotFound, "", 7},
		{59 * time.Second, http.StatusOK, "", 7},
		{time.Second, http.StatusBadGateway, "", 8},
		{0, http.StatusOK, "/storage/3", 9},
	} {
		a.clock.Advance(step.passed)
		trouble = step.status
		got, err := a.locate(t, 7)
		if step.want != "" {
			step.want = a.base + step.want
		}
		if got != step.want || (err == nil) != (step.want != "") || a.asked != step.asked {
			t.Errorf("%+v: %q after %d questions, %v", step, got, a.asked, err)
		}
	}
}

// TestAPublicFileHasItsURLWhileGitHubDoesNotAnswer: people go on, as without a token. What is hashed is asked
// for by its id alone.
func TestAPublicFileHasItsURLWhileGitHubDoesNotAnswer(t *testing.T) {
	status := http.StatusOK
	a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) {
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		http.Redirect(w, r, "/storage/1", http.StatusFound)
	})
	public := release.Asset{GitHubID: 1, URL: a.base + "/fledge/fledge-mac/releases/download/v1.0.0/F.dmg"}
	for _, tc := range []struct {
		status int
		want   string // "" for an error
	}{
		{http.StatusOK, a.base + "/storage/1"}, {http.StatusBadGateway, public.URL}, {http.StatusNotFound, ""}, {http.StatusUnauthorized, public.URL},
	} {
		status = tc.status
		a.clock.Advance(5 * time.Minute)
		if got, err := a.Locate(t.Context(), public, true); got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%d: %q, %v", tc.status, got, err)
		}
	}
	if body, err := a.Open(t.Context(), public); err == nil {
		_ = body.Close()
		t.Error("what nobody has asked for by its id is hashed")
	}
}

// TestBytesInsteadOfAnAddressAreHashed (https://docs.github.com/rest/releases/assets#get-a-release-asset: "handle
// both a 200 or 302 response"), and the token stays ours: people are sent to a public file's URL, and to no other.
func TestBytesInsteadOfAnAddressAreHashed(t *testing.T) {
	a := serveAddresses(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, []byte("bytes")) })
	public := release.Asset{GitHubID: 7, URL: a.base + "/fledge/fledge-mac/releases/download/v1.0.0/F.zip"}
	private := release.Asset{GitHubID: 7, URL: a.base + "/api/v3/repos/fledge/fledge-mac/releases/assets/7"}
	for _, asset := range []release.Asset{public, private} {
		body, err := a.Open(t.Context(), asset)
		errtest.None(t, err)
		content, err := io.ReadAll(body)
		if err = errors.Join(err, body.Close()); err != nil || string(content) != "bytes" {
			t.Errorf("%s: %q, %v", asset.URL, content, err)
		}
	}
	a.asked = 0
	for range 3 {
		if got, err := a.Locate(t.Context(), public, true); err != nil || got != public.URL || a.asked > 1 {
			t.Errorf("a public file: %q after %d questions, %v", got, a.asked, err)
		}
	}
	if got, err := a.Locate(t.Context(), private, true); err == nil {
		t.Errorf("people are sent to %q", got)
	}
}

// TestFilesThatNobodyIsSentToHaveABudget: who walks through them uses up neither GitHub's limit nor what is known
// of the files that are on offer.
func TestFilesThatNobodyIsSentToHaveABudget(t *testing.T) {
	a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/storage/1", http.StatusFound) })
	find := func(asset int, current bool, want error) {
		t.Helper()
		if _, err := a.find(t, asset, current); !errors.Is(err, want) {
			t.Fatalf("file %d: %v", asset, err)
		}
	}
	find(1, true, nil)
	for i := range 30 {
		find(100+i, false, nil)
	}
	for i := range 2000 {
		find(1000+i, false, github.ErrSpent)
	}
	find(1, true, nil)
	find(2, true, nil)
	if a.asked != 32 {
		t.Errorf("GitHub was asked %d times", a.asked)
	}
	find(100, false, github.ErrSpent) // of which too many others were asked for since
	a.clock.Advance(20 * time.Second)
	find(100, false, nil)
	find(101, false, github.ErrSpent)
	for i := range 3 { // what is known serves on while it works
		a.clock.Advance(time.Minute)
		for j := range 3 {
			find(5000+100*i+j, false, nil)
		}
		find(100, false, nil)
	}
	if a.asked != 32+1+9 {
		t.Errorf("GitHub was asked %d times", a.asked)
	}
}

// TestSixReplicasStayWithinATokensLimit of 5,000 questions an hour, while all that is on offer and what apps read of
// old releases is asked for all the time, also when somebody walks through other files.
func TestSixReplicasStayWithinATokensLimit(t *testing.T) {
	for _, walked := range []bool{false, true} {
		a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/storage/1", http.StatusFound) })
		for second := 0; second < 3600; second += 10 {
			for asset := range 28 {
				if _, err := a.find(t, asset, true); err != nil {
					t.Fatalf("a current file after %d s: %v", second, err)
				}
			}
			for asset := range 8 {
				if _, err := a.find(t, 100+asset, false); err != nil && !walked {
					t.Fatalf("an old file after %d s: %v", second, err)
				}
			}
			if walked {
				if _, err := a.find(t, 1000+second, false); err != nil && !errors.Is(err, github.ErrSpent) {
					t.Fatalf("another file after %d s: %v", second, err)
				}
			}
			a.clock.Advance(10 * time.Second)
		}
		if a.asked > 5000/6 {
			t.Errorf("GitHub was asked %d times in an hour, walked through: %t", a.asked, walked)
		}
	}
}

// TestMoreFilesThanTheLimitIsForAreNotOld: who asks for one is not told that of old files.
func TestMoreFilesThanTheLimitIsForAreNotOld(t *testing.T) {
	a := serveAddresses(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/storage/1", http.StatusFound) })
	for asset := range 30 {
		_, err := a.find(t, asset, true)
		errtest.None(t, err)
	}
	if _, err := a.find(t, 30, true); err == nil || errors.Is(err, github.ErrSpent) || a.asked != 30 {
		t.Errorf("%v after %d questions", err, a.asked)
	}
	public := release.Asset{GitHubID: 31, URL: a.base + "/fledge/fledge-mac/releases/download/v1.0.0/F.dmg"}
	if got, err := a.Locate(t.Context(), public, true); err != nil || got != public.URL {
		t.Errorf("a public file: %q, %v", got, err)
	}
}

// TestWithoutATokenAFileHasItsURL, and GitHub is not asked: its limit is 60 questions an hour.
func TestWithoutATokenAFileHasItsURL(t *testing.T) {
	api, err := url.Parse("http://127.0.0.1:1/")
	errtest.None(t, err)
	client := github.New(github.Repository{API: api, Owner: "o", Name: "r", Downloads: github.HostsFor(api)}, time.Second)
	t.Cleanup(client.CloseIdle)
	const own = "http://127.0.0.1:1/o/r/releases/download/v1/F.dmg"
	got, err := client.NewDownloads(clock.System()).Locate(t.Context(), release.Asset{GitHubID: 7, URL: own}, true)
	if err != nil || got != own {
		t.Errorf("%q, %v", got, err)
	}
}
