package github_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	gogithub "github.com/google/go-github/v84/github"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/errtest"
)

// These tests read the stand-in through GitHub's own well-known Go client, so
// that what they pin is GitHub's contract and not the stand-in's.

func start(t *testing.T, releases ...github.Release) *github.Server {
	t.Helper()
	opts := github.Options{Addr: "127.0.0.1:0"}
	if len(releases) > 0 {
		opts.Releases = releases
	}
	s, err := github.Start(t.Context(), opts)
	errtest.None(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

func client(t *testing.T, s *github.Server, token string) *gogithub.Client {
	t.Helper()
	c := gogithub.NewClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
	if token != "" {
		c = c.WithAuthToken(token)
	}
	base, err := url.Parse(s.URL() + "/")
	errtest.None(t, err)
	c.BaseURL = base
	return c
}

func TestListsReleasesAsGitHubDoes(t *testing.T) {
	s := start(t)

	got, resp, err := client(t, s, "").Repositories.ListReleases(t.Context(), github.Owner, github.Repo, nil)
	errtest.None(t, err)
	var tags []string
	for _, r := range got {
		tags = append(tags, r.GetTagName())
		if r.GetDraft() || r.GetID() == 0 || r.GetPublishedAt().IsZero() || len(r.Assets) != 5 {
			t.Errorf("%s: %v", r.GetTagName(), r)
		}
		for _, a := range r.Assets {
			if a.GetState() != "uploaded" || a.GetSize() == 0 || !strings.HasPrefix(a.GetDigest(), "sha256:") || a.GetBrowserDownloadURL() == "" {
				t.Errorf("%s: %v", a.GetName(), a)
			}
		}
	}
	if want := "v1.2.0-beta.1 v1.1.0 v1.0.0"; strings.Join(tags, " ") != want {
		t.Errorf("tags %v, want %s", tags, want)
	}
	if resp.Rate.Limit != 60 || resp.Rate.Remaining != 59 {
		t.Errorf("anonymous rate %+v", resp.Rate)
	}
}

func TestOnlyAuthorisedRequestsSeeDrafts(t *testing.T) {
	s := start(t)

	got, resp, err := client(t, s, github.Token).Repositories.ListReleases(t.Context(), github.Owner, github.Repo, nil)
	errtest.None(t, err)
	if len(got) != 4 || !got[0].GetDraft() || got[0].PublishedAt != nil {
		t.Errorf("got %d releases, first %v", len(got), got[0])
	}
	if resp.Rate.Limit != 5000 {
		t.Errorf("rate %+v", resp.Rate)
	}

	_, resp, err = client(t, s, "somebody-else's").Repositories.ListReleases(t.Context(), github.Owner, github.Repo, nil)
	if err == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong token got %v", resp)
	}
}

func TestPagesFollowTheLinkHeader(t *testing.T) {
	s := start(t)
	c := client(t, s, github.Token)
	opts := &gogithub.ListOptions{PerPage: 3}
	var tags []string
	for range 5 {
		got, resp, err := c.Repositories.ListReleases(t.Context(), github.Owner, github.Repo, opts)
		errtest.None(t, err)
		for _, r := range got {
			tags = append(tags, r.GetTagName())
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	if want := "v1.3.0 v1.2.0-beta.1 v1.1.0 v1.0.0"; strings.Join(tags, " ") != want {
		t.Errorf("got %v, want %s", tags, want)
	}
}

// TestWhatIsNotThereIsNotFound, as go-github understands it.
func TestWhatIsNotThereIsNotFound(t *testing.T) {
	repos := client(t, start(t), "").Repositories
	_, repo, err := repos.ListReleases(t.Context(), github.Owner, "other", nil)
	_, asset, assetErr := repos.GetReleaseAsset(t.Context(), github.Owner, github.Repo, 1)
	if err == nil || repo.StatusCode != http.StatusNotFound || assetErr == nil || asset.StatusCode != http.StatusNotFound {
		t.Errorf("%v, %v", err, assetErr)
	}
}

func TestRateLimitErrorsAreTyped(t *testing.T) {
	s := start(t)
	reset := time.Now().Add(20 * time.Minute).Truncate(time.Second)
	s.ExhaustRateLimit(reset)

	_, _, err := client(t, s, "").Repositories.ListReleases(t.Context(), github.Owner, github.Repo, nil)

	var limited *gogithub.RateLimitError
	if !errors.As(err, &limited) || !limited.Rate.Reset.Equal(gogithub.Timestamp{Time: reset}) {
		t.Fatalf("got %v", err)
	}
}

// TestASecondaryLimitSaysWhenToComeBack, and counts who comes sooner.
func TestASecondaryLimitSaysWhenToComeBack(t *testing.T) {
	s := start(t)
	s.LimitSecondary(time.Now().Add(time.Minute))
	for _, token := range []string{"", github.Token} {
		_, _, err := client(t, s, token).Repositories.ListReleases(t.Context(), github.Owner, github.Repo, nil)
		var limited *gogithub.AbuseRateLimitError
		if !errors.As(err, &limited) || limited.RetryAfter == nil || *limited.RetryAfter <= 50*time.Second || *limited.RetryAfter > time.Minute {
			t.Errorf("got %v", err)
		}
	}
	if usage := s.Usage(); usage.TooSoon != 2 || usage.Charged != 0 {
		t.Errorf("%+v", usage)
	}
	s.LimitSecondary(time.Time{})
	if _, _, err := client(t, s, "").Repositories.ListReleases(t.Context(), github.Owner, github.Repo, nil); err != nil {
		t.Errorf("after it has ended: %v", err)
	}
}

func TestAssetBytesComeThroughTheAPIToo(t *testing.T) {
	s := start(t)
	repos := client(t, s, "").Repositories
	release := s.Releases()[2]
	want := release.Assets[0]

	rc, _, err := repos.DownloadReleaseAsset(t.Context(), github.Owner, github.Repo, want.ID, &http.Client{Timeout: time.Minute})
	errtest.None(t, err)
	defer rc.Close()
	body, err := io.ReadAll(rc)
	if err != nil || string(body) != string(want.Content) {
		t.Fatalf("%d bytes, %v; want %d", len(body), err, len(want.Content))
	}

	described, _, err := repos.GetReleaseAsset(t.Context(), github.Owner, github.Repo, want.ID)
	if err != nil || described.GetName() != want.Name || described.GetDownloadCount() != want.Downloads+1 {
		t.Fatalf("%v, %v", described, err)
	}
}

// TestARenamedRepositoryRedirects from its first name, to the API by its id and to the downloads by
// its name; it is there by its new name.
func TestARenamedRepositoryRedirects(t *testing.T) {
	s := start(t)
	s.SetPrivate(true)
	s.Rename("fledge-app")
	asset := s.Releases()[2].Assets[0]
	repos := client(t, s, github.Token).Repositories
	for _, name := range []string{github.Repo, "fledge-app"} {
		repo, _, err := repos.Get(t.Context(), github.Owner, name)
		if err != nil || repo.GetFullName() != github.Owner+"/fledge-app" {
			t.Errorf("%s: %v, %v", name, repo, err)
		}
		found, _, err := repos.ListReleases(t.Context(), github.Owner, name, &gogithub.ListOptions{PerPage: 2})
		if err != nil || len(found) != 2 {
			t.Errorf("%s: %d releases, %v", name, len(found), err)
		}
	}
	if _, resp, err := repos.Get(t.Context(), github.Owner, "other"); err == nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("another repository: %v", err)
	}
	unfollowed := fmt.Sprintf("%s/assets/%d", listURL(s), asset.ID)
	resp, _ := fetch(t, http.MethodGet, unfollowed, "Authorization", "Bearer "+github.Token)
	if at := fmt.Sprintf("/repositories/171000000/releases/assets/%d", asset.ID); resp.StatusCode != http.StatusOK || resp.Request.URL.Path != at {
		t.Errorf("%d from %s", resp.StatusCode, resp.Request.URL)
	}
	s.SetPrivate(false)
	browser := fmt.Sprintf("%s/%s/%s/releases/download/v1.1.0/%s", s.URL(), github.Owner, github.Repo, asset.Name)
	if resp, body := fetch(t, http.MethodGet, browser); resp.StatusCode != http.StatusOK || !bytes.Equal(body, asset.Content) {
		t.Errorf("a download by the first name: %d", resp.StatusCode)
	}
}

// TestAPrivateRepositoryIsThereForItsTokenAlone, and its files for whoever has an address that
// was signed, as long as that holds.
func TestAPrivateRepositoryIsThereForItsTokenAlone(t *testing.T) {
	s := start(t)
	s.SetPrivate(true)
	asset := s.Releases()[2].Assets[0]
	browser := fmt.Sprintf("%s/%s/%s/releases/download/v1.1.0/%s", s.URL(), github.Owner, github.Repo, asset.Name)
	for _, url := range []string{listURL(s), strings.TrimSuffix(listURL(s), "/releases"), browser} {
		if resp, _ := fetch(t, http.MethodGet, url); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s without a token: %d", url, resp.StatusCode)
		}
	}
	repos := client(t, s, github.Token).Repositories
	if repo, _, err := repos.Get(t.Context(), github.Owner, github.Repo); err != nil || !repo.GetPrivate() {
		t.Errorf("with the token: %v, %v", repo, err)
	}
	_, signed, err := repos.DownloadReleaseAsset(t.Context(), github.Owner, github.Repo, asset.ID, nil)
	if err != nil || signed == "" {
		t.Fatalf("%q, %v", signed, err)
	}
	if resp, body := fetch(t, http.MethodGet, signed); resp.StatusCode != http.StatusOK || !bytes.Equal(body, asset.Content) {
		t.Errorf("the signed address: %d", resp.StatusCode)
	}
	for _, spoiled := range []string{strings.Replace(signed, "?se=", "?se=9", 1), strings.Split(signed, "?")[0], signed + "0"} {
		if resp, _ := fetch(t, http.MethodGet, spoiled); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", spoiled, resp.StatusCode)
		}
	}
}
