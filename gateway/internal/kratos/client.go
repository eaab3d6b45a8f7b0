// Package kratos is the gateway's client of Ory Kratos' public interface: the server-side
// sign-in flow, the proxy for the few paths that a browser has to reach itself, and the
// reasons why a sign-in failed.
//
// Kratos' own sign-in submission is never exposed: it takes traits from the
// client and would register any address for anybody.
package kratos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

const (
	// timeout bounds each call. Starting a sign-in includes Kratos' own request
	// for the provider's discovery document.
	timeout = 3 * time.Second
	// navigationTimeout bounds a proxied callback, in which Kratos trades the
	// provider's code for tokens.
	navigationTimeout = 4500 * time.Millisecond
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 1 << 20
)

// ErrUnavailable says that nobody can sign in right now.
var ErrUnavailable = fault.New(fault.Unavailable, "sign_in_unavailable", "Signing in is not available right now. Please try again.").
	RetryAfter(3 * time.Second)

// Visitor is what Kratos is told about the browser that a call is made for.
type Visitor struct {
	// Cookies are the browser's cookies; only those of Kratos are passed on.
	Cookies   []*http.Cookie
	IP        string
	UserAgent string
}

// Client calls Kratos' public interface. Calls in which Kratos waits for Google or Apple
// have a breaker for each provider, so that one that is down does not keep people from
// signing in with the other; all other calls share one.
type Client struct {
	base      *url.URL
	site      *url.URL
	log       *slog.Logger
	transport http.RoundTripper
	requests  *prometheus.CounterVec
	signIns   signIns
	breaker   breaker
	providers map[string]breaker
}

// NewClient returns a client for the Kratos at base, an internal address, that serves the
// site at origin site. It registers gateway_kratos_requests_total, by call and outcome, and the
// metrics of sign-ins by provider.
func NewClient(base, site *url.URL, log *slog.Logger, reg prometheus.Registerer, clk clock.Clock) (*Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // the environment's leads out of the cluster
	transport.ResponseHeaderTimeout = navigationTimeout
	transport.MaxIdleConnsPerHost = 64
	c := &Client{
		base: base.JoinPath("/"), site: site, log: log, transport: transport, requests: newRequests(), signIns: newSignIns(clk),
		breaker: newBreaker(), providers: map[string]breaker{},
	}
	for _, provider := range Providers() {
		c.providers[provider] = newBreaker()
	}
	return c, errors.Join(reg.Register(c.requests), reg.Register(c.signIns.starts), reg.Register(c.signIns.callbacks))
}

// Providers returns the names of the identity providers.
func Providers() []string { return []string{"apple", "google"} }

// of returns a provider's breaker.
func (c *Client) of(provider string) breaker {
	if b, ok := c.providers[provider]; ok {
		return b
	}
	return c.breaker
}

// Ready reports whether Kratos and its database are up. It neither asks nor informs the
// breakers, and is not counted.
func (c *Client) Ready(ctx context.Context) error {
	a, err := c.send(ctx, c.transport, http.MethodGet, "/health/ready", nil, Visitor{}, nil)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("kratos: not ready: status %d", a.status)
	}
	return err
}

// answer is what Kratos said to one call.
type answer struct {
	status  int
	cookies []*http.Cookie
	body    []byte
}

func (a answer) decode(v any) error {
	if err := json.Unmarshal(a.body, v); err != nil {
		return ErrUnavailable.Wrap(fmt.Errorf("kratos: status %d: %w", a.status, err))
	}
	return nil
}

// unexpected is the failure for an answer that is not part of the protocol. Of the body only
// the error's id and reason are logged: a flow holds tokens and what a person typed.
func (a answer) unexpected() error {
	var said struct {
		Error failure `json:"error"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil {
		return ErrUnavailable.Wrap(fmt.Errorf("kratos: status %d, no JSON", a.status))
	}
	return ErrUnavailable.Wrap(fmt.Errorf("kratos: status %d: id %.100q, reason %.200q", a.status, said.Error.ID, said.Error.Reason))
}

// do sends a request through a breaker, and counts it as that call.
func (c *Client) do(ctx context.Context, call string, b breaker, method, path string, query url.Values, v Visitor, body any) (answer, error) {
	return c.send(ctx, c.guard(call, b), method, path, query, v, body)
}

func (c *Client) send(ctx context.Context, through http.RoundTripper, method, path string, query url.Values, v Visitor, body any) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	target := c.base.JoinPath(path)
	target.RawQuery = query.Encode()
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return answer{}, fmt.Errorf("kratos: %w", err)
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), payload)
	if err != nil {
		return answer{}, fmt.Errorf("kratos: %w", err)
	}
	c.introduce(req.Header, v)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := through.RoundTrip(req)
	if err != nil {
		return answer{}, ErrUnavailable.Wrap(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, ErrUnavailable.Wrap(err)
	}
	c.outward(resp.Header)
	return answer{status: resp.StatusCode, cookies: resp.Cookies(), body: raw}, nil
}

// introduce sets the headers that say on whose behalf a call is made. Kratos trusts them
// from anybody, so that we always set them.
func (c *Client) introduce(h http.Header, v Visitor) {
	for _, cookie := range v.Cookies {
		if name, own := c.inward(cookie.Name); own {
			h.Add("Cookie", name+"="+cookie.Value)
		}
	}
	if cookies := h.Values("Cookie"); len(cookies) > 1 {
		h.Set("Cookie", strings.Join(cookies, "; "))
	}
	if v.UserAgent != "" {
		h.Set("User-Agent", v.UserAgent)
	}
	if v.IP != "" {
		h.Set("X-Forwarded-For", v.IP)
	}
	h.Set("X-Forwarded-Proto", c.site.Scheme)
	h.Set("X-Forwarded-Host", c.site.Host)
}
