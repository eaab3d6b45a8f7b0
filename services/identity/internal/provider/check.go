package provider

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/outside"
	"fledge.dev/services/platform/periodic"
)

const (
	checkEvery = 24 * time.Hour
	checkRetry = 10 * time.Minute
	maxAnswer  = 64 << 10
	// madeUp is a code that no provider has given out.
	madeUp = "fledge-checks-its-credentials"
)

// Result is what a provider says to the product's credentials.
type Result struct {
	Provider string
	// Refused is the provider's error code, such as invalid_client; "" if it accepts them.
	Refused string
}

// Checker asks the providers whether they accept the product's credentials, without signing
// anybody in: it shows a made-up code. A provider looks at the credentials first.
type Checker struct {
	places   []place
	callback string
	http     *http.Client
	clock    clock.Clock
	accepted *prometheus.GaugeVec
}

// NewChecker returns a checker for the site at origin, whose metric is registered with reg.
func NewChecker(cfg Config, origin string, clk clock.Clock, reg prometheus.Registerer) (*Checker, error) {
	c := &Checker{
		places: cfg.places(), callback: origin + "/api/auth/kratos/self-service/methods/oidc/callback/", http: outside.Client(cfg.Timeout), clock: clk,
		accepted: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "identity_provider_accepted", Help: "Whether a provider accepted the product's credentials at the latest check.",
		}, []string{"provider"}),
	}
	return c, reg.Register(c.accepted)
}

// Check asks each provider that is set up. It fails with those that gave no answer; the results
// are of the others.
func (c *Checker) Check(ctx context.Context) ([]Result, error) {
	var results []Result
	var errs []error
	for _, p := range c.places {
		refused, err := c.ask(ctx, p)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		accepted := 0.0
		if refused == "" {
			accepted = 1
		}
		c.accepted.WithLabelValues(p.name).Set(accepted)
		results = append(results, Result{Provider: p.name, Refused: refused})
	}
	return results, errors.Join(errs...)
}

func (c *Checker) ask(ctx context.Context, p place) (refused string, err error) {
	secret, err := p.secret(c.clock)
	if err != nil {
		return "", err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {madeUp}, "redirect_uri": {c.callback + p.name},
		"client_id": {p.clientID}, "client_secret": {secret},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", err
	}
	var said struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(raw, &said); err != nil || said.Error == "" || resp.StatusCode >= http.StatusInternalServerError {
		return "", fmt.Errorf("status %d is no answer of a token endpoint", resp.StatusCode)
	}
	if said.Error == "invalid_grant" {
		return "", nil
	}
	return said.Error, nil
}

// Task checks at the start and every day, in each replica: a metric that only one of them
// knows would outlive its cause.
func (c *Checker) Task() periodic.Task {
	return periodic.Task{
		Name: "provider_check", Every: checkEvery, Retry: checkRetry, Timeout: time.Minute,
		Run: func(ctx context.Context) error { _, err := c.Check(ctx); return err },
	}
}

// signSecret signs a client secret as Kratos does for each sign-in ("Creating a client secret" of
// Apple's documentation).
func signSecret(a kratosconfig.Apple, now time.Time) (string, error) {
	block, _ := pem.Decode([]byte(a.PrivateKey.Reveal()))
	if block == nil {
		return "", errors.New("the private key is not PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", errors.New("the private key is not PKCS #8")
	}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.RegisteredClaims{
		Issuer: a.TeamID, Subject: a.ClientID, Audience: jwt.ClaimStrings{appleIssuer},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(5 * time.Minute)),
	})
	token.Header["kid"] = a.KeyID
	return token.SignedString(key)
}
