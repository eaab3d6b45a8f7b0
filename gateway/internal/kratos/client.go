// Package kratos is the gateway's view of Ory Kratos' public interface: the
// sign-in flow run on the server's side, the proxy for the few paths that a
// browser has to reach itself, and the reasons why a sign-in failed.
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

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"fledge.dev/services/platform/brand"
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

// Visitor is what Kratos gets to see of the browser that a call is made for.
type Visitor struct {
	// Cookies are the browser's cookies; only Kratos' own are passed on.
	Cookies   []*http.Cookie
	IP        string
	UserAgent string
}

// Client calls Kratos' public interface. After five failures within ten seconds
// it stops calling for three seconds and fails at once.
type Client struct {
	base      *url.URL
	site      *url.URL
	log       *slog.Logger
	transport http.RoundTripper
}

// NewClient returns a client for the Kratos at base, an address inside the
// house, that serves the site at origin site.
func NewClient(base, site *url.URL, log *slog.Logger) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.ResponseHeaderTimeout = navigationTimeout
	transport.MaxIdleConnsPerHost = 64
	breaker := circuitbreaker.NewBuilder[any]().
		WithFailureThresholdPeriod(5, 10*time.Second).
		WithDelay(3 * time.Second).
		WithSuccessThreshold(1).
		Build()
	return &Client{
		base: base.JoinPath("/"), site: site, log: log,
		transport: guarded{transport, breaker},
	}
}

// guarded asks the breaker before each request and tells it the outcome.
type guarded struct {
	transport http.RoundTripper
	breaker   circuitbreaker.CircuitBreaker[any]
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.breaker.TryAcquirePermit() {
		return nil, circuitbreaker.ErrOpen
	}
	probing := g.breaker.IsHalfOpen()
	resp, err := g.transport.RoundTrip(r)
	switch {
	case errors.Is(err, context.Canceled):
		// A browser that left says nothing about Kratos. Its probe still has to end
		// somehow, or the breaker would wait for it and admit nobody ever again.
		if probing {
			g.breaker.RecordFailure()
		}
	case err != nil || isDown(resp.StatusCode):
		g.breaker.RecordFailure()
	default:
		g.breaker.RecordSuccess()
	}
	return resp, err
}

func isDown(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}

// Ready reports whether Kratos and its database are up.
func (c *Client) Ready(ctx context.Context) error {
	a, err := c.do(ctx, http.MethodGet, "/health/ready", nil, Visitor{}, nil)
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

// unexpected is the failure for an answer that the protocol does not foresee. Of its body
// the log gets what Kratos itself gives as the error's reason: a flow holds tokens and what
// a person typed.
func (a answer) unexpected() error {
	var said struct {
		Error failure `json:"error"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil {
		return ErrUnavailable.Wrap(fmt.Errorf("kratos: status %d, no JSON", a.status))
	}
	return ErrUnavailable.Wrap(fmt.Errorf("kratos: status %d: id %.100q, reason %.200q", a.status, said.Error.ID, said.Error.Reason))
}

func (c *Client) do(ctx context.Context, method, path string, query url.Values, v Visitor, body any) (answer, error) {
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
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return answer{}, ErrUnavailable.Wrap(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, ErrUnavailable.Wrap(err)
	}
	return answer{status: resp.StatusCode, cookies: resp.Cookies(), body: raw}, nil
}

// introduce says on whose behalf a call is made. Kratos believes these headers
// from anybody, so they are always ours.
func (c *Client) introduce(h http.Header, v Visitor) {
	for _, cookie := range v.Cookies {
		if isOwn(cookie.Name) {
			h.Add("Cookie", cookie.Name+"="+cookie.Value)
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

// SessionCookie is the name that Kratos is configured to give its session.
const SessionCookie = brand.SessionCookie

func isOwn(cookie string) bool {
	return cookie == SessionCookie || cookie == "ory_kratos_continuity" || strings.HasPrefix(cookie, "csrf_token_")
}
