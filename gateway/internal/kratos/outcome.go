package kratos

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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
	endedInterrupted = "interrupted" // another sign-in of the same browser, or one that it never began
	endedFailed      = "failed"      // Kratos did not answer
)

// classifyTimeout bounds the question why a sign-in failed, for which the browser waits.
const classifyTimeout = time.Second

// signIns counts sign-ins by provider: how they start, and how they end.
type signIns struct {
	starts, callbacks *prometheus.CounterVec
}

// newSignIns returns the counters with all their series, so that even the first failure is an
// increase.
func newSignIns() signIns {
	s := signIns{
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

// outcome says how a sign-in ended whose callback asked and whose answer leads to location. Kratos
// leads everywhere by redirect, so that the page alone tells, and for the error page Kratos' record of it.
func (c *Client) outcome(ctx context.Context, v Visitor, asked url.Values, location *url.URL) string {
	switch {
	case location.Path == ErrorPage:
		return c.reasonOf(ctx, v, location.Query().Get("id"))
	case location.Path != "/signin" && location.Query().Get("linking") != "failed":
		return endedOK
	}
	// Kratos has checked the state by now, so that the provider did say this.
	switch asked.Get("error") {
	case "":
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

// isCallback reports whether an answer leads a browser that posted to the same callback again.
func isCallback(location *url.URL) bool {
	return strings.HasPrefix(location.Path, Prefix+"/")
}

// count counts the answer to a callback.
func (c *Client) count(r *http.Request, v Visitor, provider string, resp *http.Response) {
	location, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || isCallback(location) {
		return
	}
	c.signIns.ended(provider, c.outcome(r.Context(), v, r.URL.Query(), location))
}
