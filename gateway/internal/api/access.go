package api

import (
	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/authn"
)

// policy is the part of the table that depends on bearers.
func policy(routes []route.Route) authn.Policy {
	levels := map[route.Access]authn.Access{
		route.Optional: authn.Public, route.User: authn.User, route.UserOrServer: authn.UserOrServer, route.Staff: authn.Staff, route.Admin: authn.Admin, route.FreshAdmin: authn.FreshAdmin,
	}
	policy := authn.Policy{}
	for _, r := range routes {
		if level, ok := levels[r.Access]; ok {
			policy[r.Key()] = level
		}
	}
	return policy
}

// admit lets a request into its route or answers 401 or 403. It puts the caller's identity
// into the request's context; identities come from nowhere else.
func (a *API) admit(r route.Route) gin.HandlerFunc {
	switch r.Access {
	case route.Anyone:
		return func(*gin.Context) {}
	case route.Cookie:
		return a.site.Admit
	case route.CookieOrBearer:
		return func(c *gin.Context) {
			if c.GetHeader("Authorization") == "" || c.GetHeader("Cookie") != "" {
				a.site.Admit(c)
			}
		}
	default:
		return func(c *gin.Context) {
			ctx, err := a.guard.Admit(c.Request.Context(), r.Key(), c.Request.Header.Values("Authorization"), nil)
			if err != nil {
				problem.Write(c, err)
				return
			}
			c.Request = c.Request.WithContext(ctx)
		}
	}
}
