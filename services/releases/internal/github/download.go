package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	gogithub "github.com/google/go-github/v84/github"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/hostname"
	"fledge.dev/services/platform/ttlcache"
	"fledge.dev/services/releases/internal/mirror"
)

// storageHosts are where the public GitHub keeps the bytes of assets, and sends
// whoever downloads one.
var storageHosts = Hosts{"release-assets.githubusercontent.com", "objects.githubusercontent.com"}

// Downloads finds and reads assets. Browsers are sent, and requests go, to the hosts that
// asset URLs may name and to GitHub's storage, at each step of a redirect, and to no others;
// our token goes to the API alone. Safe for concurrent use.
type Downloads struct {
	hosts  Hosts
	client *http.Client
	// api asks GitHub for addresses.
	api *http.Client
	// classify says what an answer that is none means.
	classify func(error) error
	// inside is where the stand-in of a cluster is found from within, nil elsewhere.
	inside *url.URL
	repo   Repository
	clock  clock.Clock

	mu      sync.Mutex
	located map[string]*ttlcache.Value[string] // by asset
	rest    rest
}

// rest is the time in which GitHub is not asked, and why.
type rest struct {
	until time.Time
	err   error
}

// locatedFor is how long one answer about a private asset serves everybody, far below the
// five minutes for which the address in it works. maxLocated bounds how many are kept.
const (
	locatedFor = time.Minute
	maxLocated = 1000
	// refusedRest is how long no address is asked for after GitHub refused the token.
	refusedRest = 15 * time.Second
)

// ErrNowhere is for a URL that nobody may be sent to.
var ErrNowhere = errors.New("github: download: not on an allowed host")

// NewDownloads returns a reader of the repository's assets. clk is the machine's.
func (c *Client) NewDownloads(clk clock.Clock) *Downloads {
	d := &Downloads{
		hosts: append(Hosts{}, c.repo.Downloads...), repo: c.repo, clock: clk,
		located: map[string]*ttlcache.Value[string]{},
		api: &http.Client{
			Transport:     authorise{token: c.repo.Token, host: c.repo.API.Host, next: c.transport},
			Timeout:       c.timeout,
			CheckRedirect: c.followRename,
		},
		classify: func(err error) error { return c.classify("find a file", "such file in "+c.repo.String(), err) },
	}
	if c.repo.Downloads.has(publicDownloads) {
		d.hosts = append(d.hosts, storageHosts...)
	}
	d.client = &http.Client{Transport: c.transport, CheckRedirect: d.follow}
	if api := c.repo.API; api.Scheme == "http" && hostname.IsCluster(api.Hostname()) {
		d.inside = api
	}
	return d
}

// Locate returns where a browser gets the bytes of the asset with this URL. That is the URL
// itself or, for an asset of a private repository, an address for which GitHub has signed and
// that works for minutes. It fails with ErrNowhere when nobody may be sent there, with
// *mirror.RateLimitedError or *RefusedError, for all assets until GitHub is asked again, and with
// another error when GitHub does not say.
func (d *Downloads) Locate(ctx context.Context, rawURL string) (string, error) {
	id, private := d.repo.assetID(rawURL)
	if !private {
		if !d.hosts.Allow(rawURL) {
			return "", fmt.Errorf("%w: %.200q", ErrNowhere, rawURL)
		}
		return rawURL, nil
	}
	d.mu.Lock()
	at, ok := d.located[id]
	if !ok {
		if len(d.located) >= maxLocated {
			clear(d.located)
		}
		at = ttlcache.New(d.clock, locatedFor, func(ctx context.Context) (string, error) { return d.ask(ctx, d.repo.asset(id)) })
		d.located[id] = at
	}
	d.mu.Unlock()
	return at.Get(ctx)
}

// ask has GitHub sign an address for the bytes of a private asset
// (https://docs.github.com/rest/releases/assets#get-a-release-asset).
func (d *Downloads) ask(ctx context.Context, rawURL string) (string, error) {
	if err := d.resting(); err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return "", fmt.Errorf("github: download: %w", err)
	}
	req.Header.Set("Accept", "application/octet-stream")
	resp, err := d.api.Do(req)
	if err != nil {
		return "", fmt.Errorf("github: download: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // the address, or the refusal, has been read
	if resp.StatusCode != http.StatusFound {
		resp.Body = limit(resp.Body)
		return "", d.refused(resp)
	}
	target, err := resp.Location()
	if err != nil {
		return "", fmt.Errorf("github: download: %w", err)
	}
	if !d.hosts.Allow(target.String()) {
		return "", fmt.Errorf("github: download: the address of a private asset is on %s", target.Host)
	}
	return target.String(), nil
}

// refused says why an answer holds no address, and has all assets rest when the reason is not
// this one.
func (d *Downloads) refused(resp *http.Response) error {
	err := gogithub.CheckResponse(resp)
	if err == nil {
		return fmt.Errorf("github: download: a private asset was answered with %d and no address", resp.StatusCode)
	}
	err = d.classify(err)
	var wait time.Duration
	if limited, ok := errors.AsType[*mirror.RateLimitedError](err); ok {
		wait = min(max(limited.Wait, refusedRest), mirror.LongestRest)
	} else if _, ok := errors.AsType[*RefusedError](err); ok {
		wait = refusedRest
	} else {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rest = rest{until: d.clock.Now().Add(wait), err: err}
	return err
}

func (d *Downloads) resting() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.clock.Now().Before(d.rest.until) {
		return d.rest.err
	}
	return nil
}

// Open returns the bytes at the URL. They end with ctx at the latest; how many are
// too many is for the caller to say.
func (d *Downloads) Open(ctx context.Context, rawURL string) (io.ReadCloser, error) {
	target, err := d.Locate(ctx, rawURL)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, fmt.Errorf("github: download: %w", err)
	}
	if d.inside != nil { // the name that browsers use means nothing in the cluster
		req.URL.Scheme, req.URL.Host, req.Host = d.inside.Scheme, d.inside.Host, ""
	}
	req.Header.Set("Accept", "application/octet-stream")
	// The bytes as they were uploaded, not unpacked on the way.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("github: download from %s: %w", req.URL.Host, err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("github: download: %s answered %d", resp.Request.URL.Host, resp.StatusCode)
	}
	return resp.Body, nil
}

func (d *Downloads) follow(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("too many redirects")
	}
	if !d.hosts.Allow(req.URL.String()) {
		return fmt.Errorf("redirect to %s://%s refused", req.URL.Scheme, req.URL.Host)
	}
	return nil
}
