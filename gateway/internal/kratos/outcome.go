package kratos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// The outcomes of a sign-in at a provider, as the metrics name them.
const (
	endedOK          = "ok"          // the person is signed in, or the provider linked
	endedAsks        = "asks"        // a page asks the person something: to link an account, to choose another
	endedDeclined    = "declined"    // the person changed their mind at the provider
	endedRefused     = "refused"     // the provider or Kratos refused what no person can mend, such as the client's secret
	endedBarred      = "barred"      // the account is disabled, or its address not verified
	endedExpired     = "expired"     // the person took too long
	endedInterrupted = "interrupted" // another sign-in of the same browser, or one that it never began; a refusal that is not counted
	endedFailed      = "failed"      // Kratos did not answer
)

// classifyTimeout bounds the question why a sign-in failed, for which the browser waits.
const classifyTimeout = time.Second

// refusals is how often a network of visitors counts as refused by a provider: whoever begins a sign-in can come back
// with any error, again and again, which must not look like a provider that refuses everybody.
var refusals = limits.Rate{PerMinute: 1.0 / 15, Burst: 1}

// signIns counts sign-ins by provider: how they start, and how they end.
type signIns struct {
	starts, callbacks *prometheus.CounterVec
	refusals          *limits.Buckets[refusal]
}

// refusal is what is told apart among refused sign-ins.
type refusal struct {
	provider string
	network  netip.Prefix
}

// newSignIns returns the counters with all their series, so that even the first failure is an
// increase.
func newSignIns(clk clock.Clock) signIns {
	s := signIns{
		refusals: limits.NewBuckets[refusal](refusals, clk),
		starts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_sign_in_starts_total", Help: "Sign-ins that were sent to a provider (ok) or could not be (failed).",
		}, []string{"provider", "outcome"}),
		callbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_sign_in_callbacks_total", Help: "Sign-ins that came back from a provider, by outcome (ok, asks, declined, refused, barred, expired, interrupted, failed).",
		}, []string{"provider", "outcome"}),
	}
	for _, provider := range Providers() {
		for _, outcome := range []string{endedOK, endedFailed} {
			s.starts.WithLabelValues(provider, outcome)
		}
		for _, outcome := range []string{endedOK, endedAsks, endedDeclined, endedRefused, endedBarred, endedExpired, endedInterrupted, endedFailed} {
			s.callbacks.WithLabelValues(provider, outcome)
		}
	}
	return s
}

// countStart counts what became of sending a browser to a provider. A flow that is over says
// nothing about the provider, nor does a browser that left.
func (c *Client) countStart(ctx context.Context, provider string, err error) {
	switch {
	case err == nil:
		c.signIns.starts.WithLabelValues(provider, endedOK).Inc()
	case errors.Is(err, fault.Unavailable) && ctx.Err() == nil:
		c.signIns.starts.WithLabelValues(provider, endedFailed).Inc()
	}
}

func (s signIns) ended(provider, outcome string) {
	s.callbacks.WithLabelValues(provider, outcome).Inc()
}

// isRepeated reports whether a refusal by the provider was counted of the address' network just before.
func (s signIns) isRepeated(provider, address string) bool {
	_, err := s.refusals.Take(refusal{provider: provider, network: networkOf(address)})
	return err != nil
}

// networkOf is the /24 or, of IPv6, the /48 that an address is in: a home has many of IPv6. Those that are not known
// share one.
func networkOf(address string) netip.Prefix {
	ip, _ := netip.ParseAddr(address)
	ip = ip.Unmap().WithZone("")
	bits := 24
	if ip.Is6() {
		bits = 48
	}
	network, _ := ip.Prefix(bits) // of an address, it is always one
	return network
}

// outcome says how a sign-in ended whose callback asked and whose answer leads to location. Kratos
// leads everywhere by redirect, so that the page alone tells, and what Kratos has noted for it.
func (c *Client) outcome(ctx context.Context, v Visitor, provider string, asked url.Values, location *url.URL) string {
	switch {
	case location.Path == ErrorPage:
		return c.reasonOf(ctx, v, location.Query().Get("id"))
	case location.Path != "/signin" && location.Query().Get("linking") != "failed":
		return endedOK
	}
	// Kratos has checked the state by now, so that this browser began the sign-in. That the provider answered it so is the
	// browser's word, which count takes once.
	switch asked.Get("error") {
	case "":
		if location.Path == "/signin" {
			return c.messageOf(ctx, v, provider, location.Query())
		}
		return endedAsks
	case "access_denied", "user_cancelled_authorize", "user_cancelled_login":
		return endedDeclined
	default:
		return endedRefused
	}
}

func (c *Client) reasonOf(ctx context.Context, v Visitor, id string) string {
	ctx, cancel := context.WithTimeout(ctx, classifyTimeout)
	defer cancel()
	reason, err := c.Failure(ctx, v, id)
	if err != nil {
		return endedFailed
	}
	switch reason {
	case EmailNotVerified, AccountDisabled:
		return endedBarred
	case SignInExpired:
		return endedExpired
	case SignInInterrupted:
		return endedInterrupted
	default:
		return endedRefused
	}
}

// The messages of a flow that say more than that a page asks something (gateway/openapi.yaml, SignInMessage).
const (
	messageRefused    = 4000001 // what the provider said is not taken, such as an ID token that Kratos cannot verify
	messageUnverified = 900100  // of identity's guard
)

// messageOf says how a sign-in ended by the messages of the flow that /signin shows with query. Kratos logs a refusal
// among what it does not write.
func (c *Client) messageOf(ctx context.Context, v Visitor, provider string, query url.Values) string {
	ctx, cancel := context.WithTimeout(ctx, classifyTimeout)
	defer cancel()
	path := "/self-service/login/flows"
	if query.Get("kind") == "registration" {
		path = "/self-service/registration/flows"
	}
	var flow uiFlow
	a, err := c.do(ctx, callFlow, c.breaker, http.MethodGet, path, url.Values{"id": {query.Get("flow")}}, v, nil)
	if err != nil || a.status != http.StatusOK || a.decode(&flow) != nil {
		return endedAsks
	}
	for _, m := range flow.messages() {
		switch m.ID {
		case messageRefused:
			c.log.WarnContext(ctx, "what a provider said of a sign-in is not taken", "provider", provider, "reason", fmt.Sprintf("%.200q", m.Text))
			return endedRefused
		case messageUnverified:
			return endedBarred
		}
	}
	return endedAsks
}

// count counts the answer to a callback, a refusal only as often as refusals allows.
func (c *Client) count(r *http.Request, v Visitor, provider string, resp *http.Response) {
	location, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || isOwn(resp) {
		return
	}
	outcome := c.outcome(r.Context(), v, provider, r.URL.Query(), location)
	if outcome == endedRefused && c.signIns.isRepeated(provider, v.IP) {
		outcome = endedInterrupted
	}
	c.signIns.ended(provider, outcome)
}
