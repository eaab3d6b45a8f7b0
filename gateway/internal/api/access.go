package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

var errForeignSite = fault.New(fault.Forbidden, "foreign_site", "This request did not come from our site.")

// policy is the part of the table that depends on bearers.
func (a *API) policy() authn.Policy {
	levels := map[Access]authn.Access{Optional: authn.Public, User: authn.User, Admin: authn.Admin}
	policy := authn.Policy{}
	for _, r := range a.Routes() {
		if level, ok := levels[r.Access]; ok {
			policy[r.Method+" "+r.Path] = level
		}
	}
	return policy
}

// admit lets a request into its route or answers 401 or 403. It puts the caller's identity
// into the request's context; identities come from nowhere else.
func (a *API) admit(r Route) gin.HandlerFunc {
	switch r.Access {
	case Anyone:
		return func(*gin.Context) {}
	case Cookie:
		return a.admitSite
	default:
		method := r.Method + " " + r.Path
		return func(c *gin.Context) {
			ctx, err := a.guard.Admit(c.Request.Context(), method, c.Request.Header.Values("Authorization"), nil)
			if err != nil {
				problem.Write(c, err)
				return
			}
			c.Request = c.Request.WithContext(ctx)
		}
	}
}

// admitSite refuses requests that another site made the browser send. Browsers attach
// cookies to reads as well, so that reads are under the same rule, which
// http.CrossOriginProtection has for writes only.
func (a *API) admitSite(c *gin.Context) {
	probe := *c.Request
	probe.Method = "POST"
	if err := a.crossOrigin.Check(&probe); err != nil {
		problem.Write(c, errForeignSite.Wrap(err))
	}
}

// ifSignedIn returns the request's context, with the caller's identity if a valid bearer
// was sent. The error is Unauthenticated for an invalid one, and Unavailable while there are
// no keys to verify it with.
func (a *API) ifSignedIn(c *gin.Context) (context.Context, error) {
	ctx := c.Request.Context()
	token, ok, err := authn.ParseBearer(c.Request.Header.Values("Authorization"))
	if err != nil || !ok {
		return ctx, err
	}
	p, err := a.verifier.Verify(ctx, token)
	if err != nil {
		return ctx, err
	}
	return authn.WithPrincipal(ctx, p), nil
}

// visitor is what Kratos is told about the browser.
func visitor(c *gin.Context) kratos.Visitor {
	return kratos.Visitor{Cookies: c.Request.Cookies(), IP: c.ClientIP(), UserAgent: c.Request.UserAgent()}
}
