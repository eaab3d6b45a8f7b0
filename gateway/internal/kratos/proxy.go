package kratos

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

	"fledge.dev/services/platform/fault"
)

// Prefix is where the site's origin shows Kratos' paths (serve.public.base_url).
const Prefix = "/api/auth/kratos"

// ErrFlowNotFound says that a flow cannot be shown to this browser.
var ErrFlowNotFound = fault.New(fault.NotFound, "flow_not_found", "This sign-in has expired. Please start again.")

// passed lists the headers that cross the proxy, each way. Everything else stays
// behind: identities and addresses that a client claims, and what Kratos tells
// about itself.
var (
	passedIn  = []string{"Accept-Language", "Content-Type"}
	passedOut = []string{"Content-Type", "Content-Length", "Location", "Set-Cookie"}
)

// Navigate proxies a provider's callback, where the browser itself navigates.
// The person must end on a page, so every failure leads to /auth/error. form is what
// the browser posted, if it did.
func (c *Client) Navigate(w http.ResponseWriter, r *http.Request, v Visitor, form []byte) {
	proxy := c.proxy(v, "text/html", form)
	proxy.ModifyResponse = func(resp *http.Response) error {
		if resp.StatusCode < 300 || resp.StatusCode >= 400 || !c.leadsToSite(resp) {
			return fmt.Errorf("kratos: status %d to %q", resp.StatusCode, resp.Header.Get("Location"))
		}
		resp.Header = only(resp.Header, passedOut)
		return nil
	}
	proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, _ error) {
		http.Redirect(w, r, c.site.Scheme+"://"+c.site.Host+"/auth/error", http.StatusSeeOther)
	}
	proxy.ServeHTTP(w, r)
}

// Flow proxies a look at a flow. fail answers when there is nothing to show.
func (c *Client) Flow(w http.ResponseWriter, r *http.Request, v Visitor, fail func(error)) {
	proxy := c.proxy(v, "application/json", nil)
	proxy.ModifyResponse = func(resp *http.Response) error {
		switch resp.StatusCode {
		case http.StatusOK:
			resp.Header = only(resp.Header, passedOut)
			return nil
		case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
			return ErrFlowNotFound
		default:
			return fmt.Errorf("kratos: status %d", resp.StatusCode)
		}
	}
	proxy.ErrorHandler = func(_ http.ResponseWriter, _ *http.Request, err error) {
		if f := fault.Of(err); f.Kind == fault.NotFound {
			fail(f)
			return
		}
		fail(ErrUnavailable.Wrap(err))
	}
	proxy.ServeHTTP(w, r)
}

// proxy passes a request on with a body that is all here already: one that the browser
// is still sending could fail, and the breaker would take that for Kratos' failure.
func (c *Client) proxy(v Visitor, accept string, body []byte) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: c.transport,
		ErrorLog:  slog.NewLogLogger(c.log.Handler(), slog.LevelWarn),
		Rewrite: func(p *httputil.ProxyRequest) {
			target := c.base.JoinPath(strings.TrimPrefix(p.In.URL.Path, Prefix))
			target.RawQuery = p.In.URL.RawQuery
			p.Out.URL, p.Out.Host = target, ""
			p.Out.Header = only(p.In.Header, passedIn)
			p.Out.Body, p.Out.ContentLength, p.Out.TransferEncoding = http.NoBody, int64(len(body)), nil
			if len(body) > 0 {
				p.Out.Body = io.NopCloser(bytes.NewReader(body))
			}
			p.Out.Header.Set("Accept", accept)
			c.introduce(p.Out.Header, v)
		},
	}
}

// leadsToSite reports whether the answer sends the browser to the site itself,
// as all of Kratos' redirects after a provider's callback do.
func (c *Client) leadsToSite(resp *http.Response) bool {
	given := resp.Header.Get("Location")
	location, err := url.Parse(given)
	// A backslash is a slash to browsers, which makes /\evil.example another host.
	if err != nil || given == "" || strings.ContainsAny(given, "\\ ") {
		return false
	}
	target := c.site.ResolveReference(location)
	return target.Scheme == c.site.Scheme && target.Host == c.site.Host && target.User == nil
}

func only(h http.Header, names []string) http.Header {
	kept := http.Header{}
	for name, values := range h {
		if slices.Contains(names, name) {
			kept[name] = values
		}
	}
	return kept
}
