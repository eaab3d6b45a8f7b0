// Package github reads a repository's releases from GitHub's REST API
// (https://docs.github.com/rest/releases/releases) and turns them into releases
// of ours. It trusts nothing it reads: names are cleaned, URLs are checked against
// an allow-list, sizes are bounded, redirects stay on the API's own host.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	gogithub "github.com/google/go-github/v84/github"

	"fledge.dev/services/platform/retryafter"
	"fledge.dev/services/releases/internal/mirror"
)

const (
	perPage = 100
	// maxPages bounds the mirror to the newest 300 releases.
	maxPages = 3
	// maxRedirects is for renamed repositories, which GitHub redirects once.
	maxRedirects = 3
)

// Repository is where releases come from.
type Repository struct {
	// API is the REST API's base URL with a trailing slash.
	API *url.URL
	// Owner and Name have been checked against GitHub's own rules.
	Owner, Name string
	// Token authorises requests; empty for anonymous access, which GitHub
	// limits to 60 requests an hour.
	Token string
	// Downloads are the hosts that asset URLs may name.
	Downloads Hosts
}

// asset is where the API describes an asset and, for a private repository, gives its bytes.
func (r Repository) asset(id string) string {
	return r.API.JoinPath("repos", r.Owner, r.Name, "releases", "assets", id).String()
}

// assetID is the id of the asset that asset returned the URL of, also when the repository had another
// name in the settings.
func (r Repository) assetID(rawURL string) (id string, ok bool) {
	path, ok := strings.CutPrefix(rawURL, r.API.JoinPath("repos").String()+"/")
	parts := strings.Split(path, "/") // owner, name, "releases", "assets", id
	if !ok || len(parts) != 5 || parts[2] != "releases" || parts[3] != "assets" {
		return "", false
	}
	_, err := strconv.ParseUint(parts[4], 10, 63)
	return parts[4], err == nil
}

// What decodes without an error and cannot be GitHub's answer: a JSON null, a page without releases
// after one that announced it, and a repository without a name; and pages that were others a moment later.
var (
	errNoList       = errors.New("github: list releases: the answer is no list")
	errEmptyPage    = errors.New("github: list releases: a page that was announced is an empty list")
	errShifts       = errors.New("github: list releases: they change while they are read")
	errNoRepository = errors.New("github: find the repository: the answer is no repository")
)

// String is "owner/name".
func (r Repository) String() string { return r.Owner + "/" + r.Name }

// Client lists releases.
type Client struct {
	repo      Repository
	transport http.RoundTripper
	timeout   time.Duration
}

// New returns a client whose every request ends within timeout.
func New(repo Repository, timeout time.Duration) *Client {
	return &Client{repo: repo, timeout: timeout, transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		MaxIdleConnsPerHost:   2,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: timeout,
		ForceAttemptHTTP2:     true,
	}}
}

// List asks GitHub for the releases. Pages that have not changed since known
// cost no rate limit (for authorised requests) and no transfer. It fails with
// *mirror.RateLimitedError when GitHub wants a pause.
func (c *Client) List(ctx context.Context, known []mirror.Page) (mirror.Listing, error) {
	cache := newConditional(c.transport, known)
	api := gogithub.NewClient(&http.Client{
		Transport:     authorise{token: c.repo.Token, host: c.repo.API.Host, next: cache},
		Timeout:       c.timeout,
		CheckRedirect: c.sameHost,
	})
	api.BaseURL = c.repo.API

	described, tokenEnds, err := c.describe(ctx, api)
	if err != nil {
		return mirror.Listing{}, err
	}
	found, complete, err := c.settled(ctx, api, known)
	if err != nil {
		return mirror.Listing{}, err
	}
	last := until(found) // decode orders them anew
	releases, skipped := decode(found, c.repo.Downloads)
	if described.GetPrivate() {
		for _, r := range releases {
			for i, a := range r.Assets {
				r.Assets[i].URL = c.repo.asset(strconv.FormatInt(a.GitHubID, 10))
			}
		}
	}
	return mirror.Listing{
		Name:      described.GetFullName(),
		ID:        described.GetID(),
		TokenEnds: tokenEnds,
		Releases:  releases,
		Complete:  complete,
		Until:     last,
		Unchanged: cache.unchanged(),
		Pages:     cache.seen,
		Skipped:   skipped,
	}, nil
}

// CloseIdle releases connections that no request uses.
func (c *Client) CloseIdle() {
	if t, ok := c.transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

func (c *Client) sameHost(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return errors.New("too many redirects")
	}
	if req.URL.Scheme != c.repo.API.Scheme || req.URL.Host != c.repo.API.Host {
		return fmt.Errorf("redirect to %s://%s refused", req.URL.Scheme, req.URL.Host)
	}
	return nil
}

// followRename follows a renamed repository, and leaves the address of an asset's bytes, which
// is not of the API, to the caller.
func (c *Client) followRename(req *http.Request, via []*http.Request) error {
	if req.Response.StatusCode == http.StatusFound {
		return http.ErrUseLastResponse
	}
	return c.sameHost(req, via)
}

// describe asks whether downloads need a token, for the repository's name and id, and when the token ends. Without a
// token, to which the question would cost a good part of GitHub's limit, only public repositories are
// seen at all: then repo is nil.
func (c *Client) describe(ctx context.Context, api *gogithub.Client) (repo *gogithub.Repository, tokenEnds time.Time, err error) {
	if c.repo.Token == "" {
		return nil, time.Time{}, nil
	}
	repo, resp, err := api.Repositories.Get(ctx, c.repo.Owner, c.repo.Name)
	if err != nil {
		return nil, time.Time{}, c.classify("find the repository", c.repo.String(), err)
	}
	if repo.GetFullName() == "" {
		return nil, time.Time{}, errNoRepository
	}
	return repo, resp.TokenExpiration.Time, nil
}

// secondaryRest is what GitHub asks for after a secondary limit that names no time
// (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
const secondaryRest = time.Minute

// RefusedError is GitHub's answer to a token that is not valid or not allowed to read.
type RefusedError struct {
	reason string
	err    error
}

// Error says what an operator has to change.
func (e *RefusedError) Error() string { return fmt.Sprintf("github: %s: %v", e.reason, e.err) }

// Unwrap returns GitHub's answer.
func (e *RefusedError) Unwrap() error { return e.err }

// classify says what went wrong as we tried to do something with what we sought, in words that an
// operator can act on. It returns *mirror.RateLimitedError, *RefusedError or another error.
func (c *Client) classify(doing, sought string, err error) error {
	if e, ok := errors.AsType[*gogithub.RateLimitError](err); ok {
		return &mirror.RateLimitedError{Wait: e.Rate.Reset.Sub(retryafter.SentAt(e.Response, time.Now()))}
	}
	if e, ok := errors.AsType[*gogithub.AbuseRateLimitError](err); ok {
		if e.RetryAfter != nil {
			return &mirror.RateLimitedError{Wait: *e.RetryAfter}
		}
		return &mirror.RateLimitedError{Wait: secondaryRest}
	}
	if e, ok := errors.AsType[*gogithub.ErrorResponse](err); ok {
		status := e.Response.StatusCode
		isLimit := status == http.StatusForbidden || status == http.StatusTooManyRequests // an outage may name a time, too
		if wait, ok := retryafter.Of(e.Response, time.Now(), mirror.LongestRest); ok && isLimit {
			return &mirror.RateLimitedError{Wait: wait}
		}
		// go-github knows a secondary limit by the address of its documentation alone, which GitHub has moved before.
		if status == http.StatusTooManyRequests || status == http.StatusForbidden && isSecondaryLimit(e.Message) {
			return &mirror.RateLimitedError{Wait: secondaryRest}
		}
		switch status {
		case http.StatusUnauthorized, http.StatusForbidden:
			return &RefusedError{c.refusal(status), err}
		case http.StatusNotFound:
			hidden := "GITHUB_TOKEN may not see it"
			if c.repo.Token == "" {
				hidden = "it is private, which needs GITHUB_TOKEN"
			}
			return fmt.Errorf("github: %s: there is no %s, or %s: %w", doing, sought, hidden, err)
		}
	}
	return fmt.Errorf("github: %s: %w", doing, err)
}

// isSecondaryLimit tells a limit by GitHub's words for it, today's and earlier ones.
func isSecondaryLimit(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "secondary rate limit") || strings.Contains(message, "abuse detection")
}

// refusal is what an operator can do about a 401 or a 403.
func (c *Client) refusal(status int) string {
	switch {
	case c.repo.Token == "":
		return fmt.Sprintf("%s cannot be read without GITHUB_TOKEN", c.repo)
	case status == http.StatusUnauthorized:
		return "GITHUB_TOKEN is not valid: it has expired or was revoked"
	default:
		return fmt.Sprintf("GITHUB_TOKEN may not read %s: it needs Contents: read", c.repo)
	}
}

// authorise sends the token to the API's host and to no other.
type authorise struct {
	token, host string
	next        http.RoundTripper
}

func (a authorise) RoundTrip(req *http.Request) (*http.Response, error) {
	if a.token == "" || req.URL.Host != a.host {
		return a.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+a.token)
	return a.next.RoundTrip(req)
}
