package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"fledge.dev/services/platform/hostname"
)

// storageHosts are where the public GitHub keeps the bytes of assets, and sends
// whoever downloads one.
var storageHosts = Hosts{"release-assets.githubusercontent.com", "objects.githubusercontent.com"}

// Downloads reads assets over the network. It goes to the hosts that asset URLs
// may name and to GitHub's storage, at each step of a redirect, and to no others;
// nothing that proves who we are goes with it.
type Downloads struct {
	hosts  Hosts
	client *http.Client
	// inside is where the stand-in of a cluster is found from within, nil elsewhere.
	inside *url.URL
}

// NewDownloads returns a reader of the repository's assets.
func (c *Client) NewDownloads() *Downloads {
	d := &Downloads{hosts: append(Hosts{}, c.repo.Downloads...)}
	if c.repo.Downloads.has(publicDownloads) {
		d.hosts = append(d.hosts, storageHosts...)
	}
	d.client = &http.Client{Transport: c.transport, CheckRedirect: d.follow}
	if api := c.repo.API; api.Scheme == "http" && hostname.IsCluster(api.Hostname()) {
		d.inside = api
	}
	return d
}

// Open returns the bytes at the URL. They end with ctx at the latest; how many are
// too many is for the caller to say.
func (d *Downloads) Open(ctx context.Context, rawURL string) (io.ReadCloser, error) {
	if !d.hosts.Allow(rawURL) {
		return nil, fmt.Errorf("github: download: %.200q is not on an allowed host", rawURL)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
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
		return nil, fmt.Errorf("github: download: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("github: download: answered %d", resp.StatusCode)
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
