package kratos

import (
	"bytes"
	"context"
	"errors"
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

// Prefix is the path of Kratos on the site's origin (serve.public.base_url).
const Prefix = "/api/auth/kratos"

// ErrFlowNotFound says that a flow cannot be shown to this browser.
var ErrFlowNotFound = fault.New(fault.NotFound, "flow_not_found", "This sign-in has expired. Please start again.")

// ErrorPage is the page where a sign-in that failed ends.
const ErrorPage = "/auth/error"

// The headers that pass the proxy, in each direction. All others are dropped: identities and
// addresses that a client claims, and what Kratos reveals about itself.
var (
	passedIn  = []string{"Accept-Language", "Content-Type"}
	passedOut = []string{"Content-Type", "Content-Length", "Location", "Set-Cookie"}
)

// Navigate proxies a provider's callback, where the browser itself navigates. The person
// must end on a page, so every failure leads to /auth/error; failed gets the reason, an
// ErrUnavailable. form is what the browser posted, if it did. opened gets the session that the
// browser has from now on, as a Cookie header, before the browser does.
//
// Without a state, and a navigation without the cookie of a sign-in that this browser has begun,
// Kratos is not asked: it would refuse them, too, and keep a row of each refusal.
func (c *Client) Navigate(w http.ResponseWriter, r *http.Request, v Visitor, provider string, form []byte, opened func(cookie string), failed func(error)) {
	if !c.isAnswer(r, v, form) {
		c.signIns.ended(provider, endedInterrupted)
		c.leadToError(w, r, "?error_code="+SignInInterrupted)
		return
	}
	guard := c.guard(callCallback, c.of(provider))
	guard.expect = func(resp *http.Response) error {
		if resp.StatusCode < 300 || resp.StatusCode >= 400 || !c.leadsToSite(resp) {
			return fmt.Errorf("kratos: status %d to %q", resp.StatusCode, where(resp))
		}
		return nil
	}
	proxy := c.proxy(v, guard, "text/html", form)
	proxy.ModifyResponse = func(resp *http.Response) error {
		if r.Method != http.MethodPost && isOwn(resp) {
			// To add a provider takes a fresh sign-in, which this was until the person was at the provider.
			resp.Header.Set("Location", c.site.Scheme+"://"+c.site.Host+"/profile?linking=failed")
			// What it says names its own address, with the provider's code.
			_ = resp.Body.Close()
			resp.Body, resp.ContentLength = http.NoBody, 0
			resp.Header.Set("Content-Length", "0")
			c.signIns.ended(provider, endedExpired)
		} else {
			c.count(r, v, provider, resp)
		}
		resp.Header = only(resp.Header, passedOut)
		c.outward(resp.Header)
		for _, set := range resp.Cookies() {
			if set.Name == c.SessionCookie() && set.Value != "" {
				opened(set.Name + "=" + set.Value)
			}
		}
		return nil
	}
	proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		if !errors.Is(err, context.Canceled) {
			c.signIns.ended(provider, endedFailed)
		}
		failed(ErrUnavailable.Wrap(err))
		c.leadToError(w, r, "")
	}
	proxy.ServeHTTP(w, r)
}

func (c *Client) leadToError(w http.ResponseWriter, r *http.Request, query string) {
	http.Redirect(w, r, c.site.Scheme+"://"+c.site.Host+ErrorPage+query, http.StatusSeeOther)
}

// isAnswer reports whether a callback can be a provider's answer to this browser. Apple's form
// comes from Apple's site, without cookies; Kratos leads it to a navigation.
func (c *Client) isAnswer(r *http.Request, v Visitor, form []byte) bool {
	if r.Method == http.MethodPost {
		values, err := url.ParseQuery(string(form))
		return err == nil && values.Get("state") != ""
	}
	begun := slices.ContainsFunc(v.Cookies, func(cookie *http.Cookie) bool {
		name, own := c.inward(cookie.Name)
		return own && name == continuityCookie && cookie.Value != ""
	})
	return begun && r.URL.Query().Get("state") != ""
}

// isOwn reports whether an answer leads to a page of Kratos: from Apple's form to the same callback again, and from
// anything else to a sign-in that nobody serves, because the one of Kratos stays hidden.
func isOwn(resp *http.Response) bool {
	location, err := url.Parse(resp.Header.Get("Location"))
	return err == nil && strings.HasPrefix(location.Path, Prefix+"/")
}

// where is the origin that an answer leads to: the rest of the address may hold a code.
func where(resp *http.Response) string {
	location, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: location.Scheme, Host: location.Host}).String()
}

// Flow proxies the look-up of a flow. It calls fail if there is nothing to show.
func (c *Client) Flow(w http.ResponseWriter, r *http.Request, v Visitor, fail func(error)) {
	proxy := c.proxy(v, c.guard(callFlow, c.breaker), "application/json", nil)
	proxy.ModifyResponse = func(resp *http.Response) error {
		switch resp.StatusCode {
		case http.StatusOK:
			resp.Header = only(resp.Header, passedOut)
			c.outward(resp.Header)
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

// proxy passes a request on with a body that has been read already: one that the browser is
// still sending could fail, and the breaker would take that for a failure of Kratos.
func (c *Client) proxy(v Visitor, through http.RoundTripper, accept string, body []byte) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: through,
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
