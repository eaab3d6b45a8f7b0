package github

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"

	"fledge.dev/services/releases/internal/mirror"
)

// maxPageSize bounds one answer in bytes. GitHub's release notes may have
// 125,000 characters and there are 100 of them on a page.
const maxPageSize = 32 << 20

// conditional makes GET requests conditional on the pages it knows and answers
// a 304 from them, as RFC 9110 section 13 has it. It serves one List and is not
// safe for concurrent use. What it saw is stored by the caller together with
// what was made of it: an ETag that outlives a lost update would hide it.
type conditional struct {
	next  http.RoundTripper
	known map[string]mirror.Page
	seen  []mirror.Page
	fresh bool
}

func newConditional(next http.RoundTripper, known []mirror.Page) *conditional {
	c := &conditional{next: next, known: make(map[string]mirror.Page, len(known))}
	for _, p := range known {
		c.known[p.URL] = p
	}
	return c
}

// unchanged reports whether there were answers and all of them were 304.
func (c *conditional) unchanged() bool { return len(c.seen) > 0 && !c.fresh }

func (c *conditional) RoundTrip(req *http.Request) (*http.Response, error) {
	page, have := c.known[req.URL.String()]
	if have {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", page.ETag)
	}
	resp, err := c.next.RoundTrip(req)
	switch {
	case err != nil:
		return nil, err
	case have && resp.StatusCode == http.StatusNotModified:
		c.saw(page)
		return revive(resp, page), nil
	case resp.StatusCode == http.StatusOK:
		c.fresh = true
		return c.remember(req, resp)
	default:
		resp.Body = limit(resp.Body)
		return resp, nil
	}
}

func (c *conditional) remember(req *http.Request, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(limit(resp.Body))
	_ = resp.Body.Close() // all of it was read, or the error says why not
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if etag := resp.Header.Get("ETag"); etag != "" {
		c.saw(mirror.Page{URL: req.URL.String(), ETag: etag, Link: resp.Header.Get("Link"), Body: body})
	}
	return resp, nil
}

// saw remembers the page's last answer, also for when it is asked for again.
func (c *conditional) saw(page mirror.Page) {
	c.known[page.URL] = page
	c.seen = slices.DeleteFunc(c.seen, func(p mirror.Page) bool { return p.URL == page.URL })
	c.seen = append(c.seen, page)
}

// revive turns a 304 into the 200 that it stands for.
func revive(resp *http.Response, page mirror.Page) *http.Response {
	_ = resp.Body.Close() // a 304 has no body
	resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
	resp.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp.Header.Set("X-From-Cache", "1") // go-github then leaves its rate counters alone
	resp.Header.Del("Link")
	if page.Link != "" {
		resp.Header.Set("Link", page.Link)
	}
	resp.Body = io.NopCloser(bytes.NewReader(page.Body))
	resp.ContentLength = int64(len(page.Body))
	return resp
}

// limit fails a body that is larger than maxPageSize instead of cutting it.
func limit(body io.ReadCloser) io.ReadCloser { return http.MaxBytesReader(nil, body, maxPageSize) }
