package kratos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	ory "github.com/ory/kratos-client-go"
)

// caller is Client.call or Client.aside.
type caller func(ctx context.Context, name string, fn func(context.Context) (*http.Response, error)) (status int, err error)

// ask makes a call that reads something, and returns the token of the page after
// it, "" without one. Whatever is not a whole answer is Unavailable, but for
// Kratos' own word that it does not exist: ErrGone.
func ask[T any](ctx context.Context, call caller, name string, fn func(context.Context) (T, *http.Response, error)) (answer T, next string, err error) {
	var cause error
	status, err := call(ctx, name, func(ctx context.Context) (resp *http.Response, _ error) {
		if answer, resp, cause = fn(ctx); resp != nil {
			next = nextPage(resp.Header.Get("Link"))
		}
		return resp, cause
	})
	switch {
	case err != nil:
	case says(cause, status, http.StatusNotFound):
		err = ErrGone
	case status != http.StatusOK || cause != nil:
		err = errUnavailable.Wrap(errors.Join(fmt.Errorf("%s: status %d", name, status), cause))
	}
	return answer, next, err
}

// change makes a call that changes something, and reports whether what it is about was there. Whatever is
// neither success nor Kratos' own word that it does not exist is Unavailable.
func change(ctx context.Context, call caller, name string, fn func(context.Context) (*http.Response, error)) (found bool, err error) {
	var cause error
	status, err := call(ctx, name, func(ctx context.Context) (resp *http.Response, _ error) {
		resp, cause = fn(ctx)
		return resp, cause
	})
	switch {
	case err != nil:
	case says(cause, status, http.StatusNotFound):
	case status != http.StatusOK && status != http.StatusNoContent:
		err = errUnavailable.Wrap(errors.Join(fmt.Errorf("%s: status %d", name, status), cause))
	default:
		found = true
	}
	return found, err
}

// says tells Kratos' word from the same status of anything else on the way, a wrong path or a
// sidecar's rule included.
func says(err error, status, code int) bool {
	failure, ok := errors.AsType[*ory.GenericOpenAPIError](err)
	if !ok || status != code {
		return false
	}
	said, ok := failure.Model().(ory.ErrorGeneric)
	return ok && int(said.Error.GetCode()) == code
}

// nextPage is the token in an answer's Link header (RFC 8288).
func nextPage(header string) string {
	for link := range strings.SplitSeq(header, ",") {
		target, params, ok := strings.Cut(strings.TrimSpace(link), ">")
		if !ok || !strings.HasPrefix(target, "<") || !strings.Contains(params, `rel="next"`) {
			continue
		}
		if u, err := url.Parse(target[1:]); err == nil {
			return u.Query().Get("page_token")
		}
	}
	return ""
}
