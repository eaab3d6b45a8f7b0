package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	gogithub "github.com/google/go-github/v84/github"
	"golang.org/x/time/rate"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/hostname"
	"fledge.dev/services/platform/ttlcache"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
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
	// api asks GitHub for addresses, each within timeout.
	api     *http.Client
	timeout time.Duration
	// classify says what an answer that is none means.
	classify func(error) error
	// inside is where the stand-in of a cluster is found from within, nil elsewhere.
	inside *url.URL
	repo   Repository
	clock  clock.Clock

	mu       sync.Mutex
	located  map[file]*ttlcache.Value[address]
	currents *budget
	others   *budget
	rest     rest
}

// budget bounds the questions about files of a kind. spent is the answer past it.
type budget struct {
	*rate.Limiter
	spent error
}

// file is an asset, by its id. current is which budget counts for it.
type file struct {
	id      string
	current bool
}

// rest is the time in which GitHub is not asked, and why.
type rest struct {
	until time.Time
	err   error
}

// address is GitHub's answer about an asset: where its bytes are, or that there is no address (none). It
// serves until GitHub is to be asked again, and while that fails until it works no more.
type address struct {
	url   string
	none  error
	again time.Time
	until time.Time
}

// locatedFor is how long one address serves everybody, noneFor that there is none. worksFor is how long an
// address still serves while GitHub, asked each askedFor, gives no other one: a minute less than the five for which it
// works. maxLocated bounds how many are kept.
const (
	locatedFor = 3 * time.Minute
	worksFor   = 4 * time.Minute
	noneFor    = time.Minute
	askedFor   = 15 * time.Second
	maxLocated = 1000
	// The questions of one replica, a minute and at once, about current files and about others: at most 780 in an
	// hour, so that six replicas leave some of the token's 5,000 to the mirror, whoever walks through all releases, and
	// to what is hashed, once for each file. As an address works for longer than it serves, 36 current files can be had all the time.
	currentPerMinute = 9
	currentBurst     = 30
	otherPerMinute   = 3
	otherBurst       = 30
	// refusedRest is how long no address is asked for after GitHub refused the token.
	refusedRest = 15 * time.Second
)

// ErrNowhere is for a URL that nobody may be sent to. ErrGone is for an asset that GitHub does not have: its
// file was deleted, or uploaded again, which is another asset. ErrSpent is for a file that nobody is sent to,
// while too many of these are asked for.
var (
	ErrNowhere = errors.New("github: download: not on an allowed host")
	ErrGone    = errors.New("github: download: gone")
	ErrSpent   = errors.New("github: download: too many files that are not on offer now are asked for, and GitHub's limit is kept for the others")
	errBusy    = errors.New("github: download: more files are on offer and asked for than GitHub's limit is for")
	errSent    = errors.New("github: download: GitHub sends the bytes itself and gives no address, to which people could be sent")
)

// NewDownloads returns a reader of the repository's assets. clk is the machine's.
func (c *Client) NewDownloads(clk clock.Clock) *Downloads {
	d := &Downloads{
		hosts: append(Hosts{}, c.repo.Downloads...), repo: c.repo, clock: clk,
		located:  map[file]*ttlcache.Value[address]{},
		currents: &budget{rate.NewLimiter(rate.Every(time.Minute/currentPerMinute), currentBurst), errBusy},
		others:   &budget{rate.NewLimiter(rate.Every(time.Minute/otherPerMinute), otherBurst), ErrSpent},
		api: &http.Client{
			Transport:     authorise{token: c.repo.Token, host: c.repo.API.Host, next: c.transport},
			CheckRedirect: c.followRename,
		},
		timeout:  c.timeout,
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

// Locate returns where a browser gets the bytes of the asset. With a token that is an address for which
// GitHub has signed and that works for minutes: it is asked for by the asset's id, as a file that is uploaded
// again has the URL of the one before. While GitHub does not answer, and without a token, to which the
// questions would cost GitHub's limit, it is the URL, if the repository is public. Locate fails with
// ErrNowhere when nobody may be sent there, with ErrGone, and for files of a private repository with
// *mirror.RateLimitedError or *RefusedError, for all of them until GitHub is asked again, with ErrSpent, if the
// asset is not current, which is what people are sent to, and with another error when GitHub does not say.
func (d *Downloads) Locate(ctx context.Context, asset release.Asset, current bool) (string, error) {
	at, err := d.locate(asset, func(id string) (string, error) {
		at, err := d.at(file{id, current}).Get(ctx)
		if err == nil {
			err = at.none
		}
		return at.url, err
	})
	if _, private := d.repo.assetID(asset.URL); err == nil || private || errors.Is(err, ErrGone) || !d.hosts.Allow(asset.URL) {
		return at, err
	}
	return asset.URL, nil
}

// locate is what the function finds by the asset's id: without a token, its URL.
func (d *Downloads) locate(asset release.Asset, byID func(id string) (string, error)) (string, error) {
	id, private := d.repo.assetID(asset.URL)
	switch {
	case d.repo.Token != "":
		id = strconv.FormatInt(asset.GitHubID, 10)
	case !private:
		if !d.hosts.Allow(asset.URL) {
			return "", fmt.Errorf("%w: %.200q", ErrNowhere, asset.URL)
		}
		return asset.URL, nil
	}
	return byID(id)
}

func (d *Downloads) at(f file) *ttlcache.Value[address] {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.located[f]
	if !ok {
		if len(d.located) >= maxLocated { // not the current ones, if they are not too many
			maps.DeleteFunc(d.located, func(f file, _ *ttlcache.Value[address]) bool { return !f.current })
		}
		if len(d.located) >= maxLocated {
			clear(d.located)
		}
		var known address // of one load at a time
		// How long an answer serves depends on what it is, so that its own times count, and not the cache's.
		at = ttlcache.New(d.clock, 0, func(ctx context.Context) (address, error) {
			var err error
			known, err = d.renew(ctx, f, known)
			return known, err
		})
		d.located[f] = at
	}
	return at
}

// renew is what is known of the file, and GitHub's answer once that is old.
func (d *Downloads) renew(ctx context.Context, f file, known address) (address, error) {
	now, within := d.clock.Now(), d.others
	if now.Before(known.again) {
		return known, nil
	}
	if f.current {
		within = d.currents
	}
	url, err := d.ask(ctx, f.id, within)
	switch {
	case err == nil:
		return address{url: url, again: now.Add(locatedFor), until: now.Add(worksFor)}, nil
	case errors.Is(err, ErrGone), errors.Is(err, errSent):
		return address{none: err, again: now.Add(noneFor)}, nil
	case now.Before(known.until):
		known.again = now.Add(min(askedFor, known.until.Sub(now)))
		return known, nil
	}
	return address{}, err
}

// ask has GitHub sign an address for the bytes of an asset
// (https://docs.github.com/rest/releases/assets#get-a-release-asset), if the budget allows it.
func (d *Downloads) ask(ctx context.Context, id string, within *budget) (string, error) {
	if err := d.resting(); err != nil {
		return "", err
	}
	if within != nil && !within.AllowN(d.clock.Now(), 1) {
		return "", within.spent
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.repo.asset(id), nil)
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
		return "", fmt.Errorf("github: download: the address of an asset is on %s", target.Host)
	}
	return target.String(), nil
}

// refused says why an answer holds no address, and has all assets rest when the reason is not
// this one.
func (d *Downloads) refused(resp *http.Response) error {
	err := gogithub.CheckResponse(resp)
	if err == nil {
		return errSent
	}
	err = d.classify(err)
	var wait time.Duration
	if limited, ok := errors.AsType[*mirror.RateLimitedError](err); ok {
		wait = min(max(limited.Wait, refusedRest), mirror.LongestRest)
	} else if _, ok := errors.AsType[*RefusedError](err); ok {
		wait = refusedRest
	} else if resp.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%w: %w", ErrGone, err)
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

// Open returns the bytes of the asset, with a token by its id alone: what is hashed must be the asset itself. They
// end with ctx at the latest; how many are too many is for the caller to say. GitHub may give an address of them or send them itself.
func (d *Downloads) Open(ctx context.Context, asset release.Asset) (io.ReadCloser, error) {
	client := d.client
	target, err := d.locate(asset, func(id string) (string, error) { return d.ask(ctx, id, nil) })
	if errors.Is(err, errSent) {
		client, target, err = d.api, d.repo.asset(strconv.FormatInt(asset.GitHubID, 10)), nil
	}
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
	resp, err := client.Do(req)
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
