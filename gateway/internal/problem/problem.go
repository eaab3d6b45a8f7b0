// Package problem writes failures. It is the only place that turns an error into
// an HTTP answer, so that every one of them has the same body and headers:
//
//	{"error": "<for people>", "code": "<for programs>", "requestId": "<for us>"}
//
// plus "fields" where fields of the request were invalid, "current" where the client had
// an older state, Retry-After with 429 and 503, and WWW-Authenticate with 401. Causes go to
// the access log only.
package problem

import (
	"context"
	"errors"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
)

// StatusClientGone marks a request, in log and metrics, whose client left before the
// answer. It is never sent. The number is nginx's.
const StatusClientGone = 499

// Refusal is a failure of the HTTP exchange itself, which no service can cause.
type Refusal struct {
	Status  int
	Code    string
	Message string
}

// Error describes the refusal for logs.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// The refusals of any route.
var (
	RouteNotFound        = &Refusal{http.StatusNotFound, "route_not_found", "There is nothing at this address."}
	MethodNotAllowed     = &Refusal{http.StatusMethodNotAllowed, "method_not_allowed", "This address does not take this method."}
	BodyTooSlow          = &Refusal{http.StatusRequestTimeout, "body_too_slow", "The request did not arrive in time. Please try again."}
	UnsupportedMediaType = &Refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "The body must be application/json in UTF-8."}
)

// Outdated is a conflict with what somebody else did first. The answer shows the current
// state, so that the client can continue from it.
type Outdated struct {
	Fault *fault.Error
	// Current is encoded as "current".
	Current any
}

// Error describes the conflict for logs.
func (o *Outdated) Error() string { return o.Fault.Error() }

// Unwrap returns the fault.
func (o *Outdated) Unwrap() error { return o.Fault }

type body struct {
	Error string `json:"error"`
	// Description is the sentence where Error is OAuth's code.
	Description string            `json:"error_description,omitempty"`
	Code        string            `json:"code"`
	RequestID   string            `json:"requestId"`
	Fields      map[string]string `json:"fields,omitempty"`
	Current     any               `json:"current,omitempty"`
}

const (
	pageKey  = "problem.page"
	oauthKey = "problem.oauth"
)

// LeadTo makes Write answer with a redirect to a page of the site: the answer's reader is a
// person, not a script.
func LeadTo(c *gin.Context, page string) { c.Set(pageKey, page) }

// SpeakOAuth makes Write answer in the form of RFC 6749, section 5.2: "error" is OAuth's code, our sentence is
// "error_description", and a token that is not good is 400.
func SpeakOAuth(c *gin.Context) { c.Set(oauthKey, true) }

// oauthCodes are OAuth's names of our codes. Everything else that the client did wrong is invalid_request.
var oauthCodes = map[string]string{
	"invalid_grant":          "invalid_grant",
	"refresh_token_invalid":  "invalid_grant",
	"unsupported_grant_type": "unsupported_grant_type",
	"invalid_client":         "invalid_client",
	"invalid_scope":          "invalid_scope",
	"unsupported_token_type": "unsupported_token_type",
}

// inOAuth returns b in OAuth's form, and its status.
func inOAuth(status int, b body) (int, body) {
	b.Description = b.Error
	code, known := oauthCodes[b.Code]
	switch {
	case code == "invalid_client": // keeps 401
		b.Error = code
	case known:
		status, b.Error = http.StatusBadRequest, code
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		b.Error = "temporarily_unavailable"
	case status >= http.StatusInternalServerError:
		b.Error = "server_error"
	default:
		b.Error = "invalid_request"
	}
	return status, b
}

// Write answers the request with err and ends its chain of handlers. It writes nothing when
// the client has left or an answer has been begun. A client whose body did not arrive in
// time is still there, although net/http cancels its request, too.
func Write(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if errors.Is(c.Request.Context().Err(), context.Canceled) && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.Status(StatusClientGone)
		return
	}
	if c.Writer.Written() {
		return
	}
	if page := c.GetString(pageKey); page != "" {
		c.Redirect(http.StatusSeeOther, page)
		return
	}
	if r, ok := errors.AsType[*Refusal](err); ok {
		send(c, r.Status, body{Error: r.Message, Code: r.Code})
		return
	}
	f := fault.Of(err)
	switch f.Kind {
	case fault.Unauthenticated:
		if how := challenge(f, c.GetBool(oauthKey)); how != "" {
			c.Header("WWW-Authenticate", how)
		}
	case fault.RateLimited, fault.Unavailable:
		c.Header("Retry-After", retryAfter(f.Retry))
	}
	var current any
	if o, ok := errors.AsType[*Outdated](err); ok {
		current = o.Current
	}
	send(c, f.Kind.HTTPStatus(), body{Error: f.Message, Code: f.Reason, Fields: fields(f), Current: current})
}

// challenge is the value of WWW-Authenticate, "" for none. Only who showed a token is told that it is not good (RFC 6750,
// section 3.1).
func challenge(f *fault.Error, oauth bool) string {
	switch {
	case oauth && f.Reason == "invalid_client":
		return `Basic realm="token", charset="UTF-8"`
	case oauth:
		return ""
	case f.Reason == authn.ErrBadToken.Reason:
		return `Bearer error="invalid_token"`
	default:
		return "Bearer"
	}
}

func send(c *gin.Context, status int, b body) {
	b.RequestID = obs.RequestID(c.Request.Context())
	if c.GetBool(oauthKey) {
		status, b = inOAuth(status, b)
	}
	c.JSON(status, b)
}

func fields(f *fault.Error) map[string]string {
	if len(f.Fields) == 0 {
		return nil
	}
	m := make(map[string]string, len(f.Fields))
	for _, field := range f.Fields {
		m[field.Name] = field.Message
	}
	return m
}

// retryAfter renders d in the header's whole seconds, at least one.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}
