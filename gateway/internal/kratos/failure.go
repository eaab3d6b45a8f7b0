package kratos

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"fledge.dev/services/platform/fault"
)

// The reasons why a sign-in ends at /auth/error. The site has a fixed text for each, because
// Kratos' texts quote providers, file paths and stack traces.
const (
	EmailNotVerified  = "email_not_verified"
	AccountDisabled   = "account_disabled"
	SignInExpired     = "sign_in_expired"
	SignInInterrupted = "sign_in_interrupted"
	Unknown           = "unknown"
)

// failure is Kratos' error object.
type failure struct {
	ID      string `json:"id"`
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Failure returns the reason behind the error id of /auth/error?id=…, or
// fault.NotFound.
func (c *Client) Failure(ctx context.Context, v Visitor, id string) (string, error) {
	a, err := c.do(ctx, callError, c.breaker, http.MethodGet, "/self-service/errors", url.Values{"id": {id}}, v, nil)
	if err != nil {
		return "", err
	}
	switch a.status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusForbidden:
		return "", fault.New(fault.NotFound, "sign_in_error_not_found", "There is nothing known about this error.")
	default:
		return "", a.unexpected()
	}
	var said struct {
		Error failure `json:"error"`
	}
	if err := a.decode(&said); err != nil {
		return "", err
	}
	return said.Error.reason(), nil
}

func (f failure) reason() string {
	switch {
	case f.ID == "session_inactive": // signed out while adding a provider
		return SignInInterrupted
	case strings.Contains(f.Message, EmailNotVerified), strings.Contains(f.Reason, EmailNotVerified):
		return EmailNotVerified
	case f.Code == http.StatusUnauthorized:
		return AccountDisabled
	case f.Code == http.StatusGone:
		return SignInExpired
	case f.Code == http.StatusBadRequest, f.Code == http.StatusForbidden:
		return SignInInterrupted
	default:
		return Unknown
	}
}
