// Package kratos asks Ory Kratos to whom a browser's cookie belongs, and ends sessions
// there. It returns only what Kratos has verified.
package kratos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	ory "github.com/ory/kratos-client-go"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/fault"
)

var (
	// ErrNoSession means that the cookie opens nothing: absent, forged, expired,
	// signed out, or of a disabled or deleted identity. Kratos does not say which.
	ErrNoSession = errors.New("kratos: no session")

	errUnavailable = fault.New(fault.Unavailable, "kratos_unavailable", "Signing in is not available right now. Please try again.").
			RetryAfter(breakerDelay)
)

const (
	// callTimeout bounds a call, unless the configuration says otherwise.
	callTimeout = 2 * time.Second
	// After this many failures in a row no call is made for breakerDelay; then
	// one call tries.
	breakerThreshold = 5
	breakerDelay     = 3 * time.Second
)

// Config says where Kratos is.
type Config struct {
	// PublicURL and AdminURL are its two listeners, on the internal network.
	PublicURL string `env:"KRATOS_PUBLIC_URL"`
	AdminURL  string `env:"KRATOS_ADMIN_URL"`
	// Timeout bounds each call; default 2 s.
	Timeout time.Duration
}

// Validate implements config.Validator.
func (c Config) Validate() error {
	var errs []error
	for name, value := range map[string]string{"KRATOS_PUBLIC_URL": c.PublicURL, "KRATOS_ADMIN_URL": c.AdminURL} {
		if u, err := url.Parse(value); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("%s: not an http(s) URL", name))
		}
	}
	return errors.Join(errs...)
}

// Client talks to one Kratos. It is safe for concurrent use.
type Client struct {
	cfg           Config
	http          *http.Client
	public, admin *ory.APIClient
	breaker       circuitbreaker.CircuitBreaker[any]
	duration      *prometheus.HistogramVec
}

// New returns a client that has not connected yet.
func New(cfg Config, reg prometheus.Registerer) (*Client, error) {
	cfg.Timeout = cmp.Or(cfg.Timeout, callTimeout)
	// Without a Proxy: that of the environment leads out of the cluster.
	transport := &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second, ResponseHeaderTimeout: cfg.Timeout}
	c := &Client{
		cfg:  cfg,
		http: &http.Client{Transport: transport, CheckRedirect: neverRedirect},
		breaker: circuitbreaker.NewBuilder[any]().
			WithFailureThreshold(breakerThreshold).WithDelay(breakerDelay).Build(),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "identity_kratos_duration_seconds", Help: "Time that Kratos took, by call and outcome (ok, refused, failed, skipped).",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}, []string{"call", "outcome"}),
	}
	c.public, c.admin = c.api(cfg.PublicURL), c.api(cfg.AdminURL)
	return c, reg.Register(c.duration)
}

// Kratos answers an unlisted admin path on its public port with a redirect to
// the admin port; nothing here should ever follow one.
func neverRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (c *Client) api(url string) *ory.APIClient {
	cfg := ory.NewConfiguration()
	cfg.Servers = ory.ServerConfigurations{{URL: url}}
	cfg.HTTPClient = c.http
	return ory.NewAPIClient(cfg)
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call runs fn within the timeout and behind the breaker. Answers below 500
// come back as their status; everything else is errUnavailable. The caller's
// hanging up does not end the call, so that its outcome always counts.
func (c *Client) call(ctx context.Context, name string, fn func(context.Context) (*http.Response, error)) (status int, err error) {
	if !c.breaker.TryAcquirePermit() {
		return c.skip(name)
	}
	if status, err = c.try(context.WithoutCancel(ctx), name, fn); err != nil {
		c.breaker.RecordFailure()
		return 0, err
	}
	c.breaker.RecordSuccess()
	return status, nil
}

// aside is call for work that nobody waits for. It spares a Kratos that is down,
// but its own failures keep nobody from signing in.
func (c *Client) aside(ctx context.Context, name string, fn func(context.Context) (*http.Response, error)) (status int, err error) {
	if c.breaker.IsOpen() && c.breaker.RemainingDelay() > 0 {
		return c.skip(name)
	}
	return c.try(ctx, name, fn)
}

func (c *Client) skip(name string) (int, error) {
	c.duration.WithLabelValues(name, "skipped").Observe(0)
	return 0, errUnavailable
}

func (c *Client) try(ctx context.Context, name string, fn func(context.Context) (*http.Response, error)) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	start := time.Now()
	resp, err := fn(ctx) //nolint:bodyclose // the generated client has read and closed it
	outcome := "ok"
	defer func() { c.duration.WithLabelValues(name, outcome).Observe(time.Since(start).Seconds()) }()
	if resp == nil || resp.StatusCode >= http.StatusInternalServerError || (err != nil && resp.StatusCode < http.StatusBadRequest) {
		outcome = "failed"
		return 0, errUnavailable.Wrap(err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		outcome = "refused"
	}
	return resp.StatusCode, nil
}
