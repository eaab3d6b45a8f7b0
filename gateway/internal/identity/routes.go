// Package identity serves the routes of accounts: signing in and out, sessions, devices, deleting
// an account, and what admins see and change of accounts.
package identity

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
)

// Deps is what the routes work with.
type Deps struct {
	Identity identityv1.IdentityServiceClient
	// Waitlist knows which account uses an invitation to another address.
	Waitlist waitlistv1.WaitlistServiceClient
	Kratos   *kratos.Client
	Verifier *authn.Verifier
	Site     *route.Site
	// Links are the further links of the app.
	Links returnto.Links
	Log   *slog.Logger
}

type handlers struct {
	Deps
	keys atomic.Pointer[[]byte]
}

// tokenNames has RFC 6749's name for what identity calls a callback.
func tokenNames(field string) string {
	if field == "callback" {
		return "redirect_uri"
	}
	return field
}

// Routes returns the routes.
func Routes(d Deps) []route.Route {
	h := &handlers{Deps: d}
	const callback = kratos.Prefix + "/self-service/methods/oidc/callback"
	get, post := http.MethodGet, http.MethodPost
	signIn := []route.Route{
		{Method: post, Path: "/api/auth/signin/:provider", Access: route.Cookie, Limit: route.SignIn, Query: []string{"refresh", "link"}, Handle: h.startSignIn},
		{Method: get, Path: "/api/auth/session", Access: route.Cookie, Limit: route.Session, Handle: h.getSession},
		{Method: get, Path: "/api/auth/user", Access: route.User, Handle: h.getUser},
		{Method: post, Path: "/api/auth/sign-out", Access: route.CookieOrBearer, Handle: route.JSON(h.signOut)},
		{Method: post, Path: "/api/auth/hand-off", Access: route.User, Limit: route.Token, Handle: route.JSON(h.handOff)},
		{Method: post, Path: "/api/auth/token", Access: route.Anyone, Limit: route.Token, OAuth: true, Names: tokenNames, Handle: h.getToken},
		{Method: post, Path: "/api/auth/revoke", Access: route.Anyone, Limit: route.Token, OAuth: true, Handle: h.revokeToken},
		{Method: get, Path: "/api/auth/devices", Access: route.User, Handle: h.getDevices},
		{Method: post, Path: "/api/auth/revoke-device", Access: route.User, Handle: route.JSON(h.revokeDevice)},
		{Method: post, Path: "/api/auth/unlink-provider", Access: route.User, Handle: route.JSON(h.unlinkProvider)},
		{Method: get, Path: "/api/auth/second-factor", Access: route.Cookie, Limit: route.SignIn, Handle: h.getSecondFactor},
		{Method: post, Path: "/api/auth/begin-second-factor", Access: route.Cookie, Limit: route.SignIn, Handle: h.beginSecondFactor},
		{Method: post, Path: "/api/auth/confirm-second-factor", Access: route.Cookie, Limit: route.SignIn, Handle: route.JSON(h.confirmSecondFactor)},
		{Method: post, Path: "/api/auth/verify-second-factor", Access: route.Cookie, Limit: route.SignIn, Handle: route.JSON(h.verifySecondFactor)},
		{Method: post, Path: "/api/auth/create-recovery-codes", Access: route.Cookie, Limit: route.SignIn, Handle: h.createRecoveryCodes},
		{Method: post, Path: "/api/auth/remove-second-factor", Access: route.Cookie, Limit: route.SignIn, Handle: h.removeSecondFactor},
		{Method: post, Path: "/api/auth/delete-account", Access: route.User, Handle: h.deleteAccount},
		{Method: get, Path: "/api/auth/jwks.json", Access: route.Anyone, Handle: h.getJWKS},
		{Method: get, Path: "/.well-known/oauth-authorization-server", Access: route.Anyone, Handle: h.getMetadata},
		{Method: get, Path: callback + "/google", Access: route.Anyone, Limit: route.Callback, ErrorPage: kratos.ErrorPage, AnyQuery: true, Handle: h.providerCallback("google")},
		{Method: get, Path: callback + "/apple", Access: route.Anyone, Limit: route.Callback, ErrorPage: kratos.ErrorPage, AnyQuery: true, Handle: h.providerCallback("apple")},
		{Method: post, Path: callback + "/apple", Access: route.Anyone, Limit: route.FormCallback, ErrorPage: kratos.ErrorPage, Handle: h.appleFormCallback},
		{Method: post, Path: "/api/auth/apple-notification", Access: route.Anyone, Webhook: true, Handle: h.receiveAppleNotification},
		{Method: get, Path: kratos.Prefix + "/self-service/login/flows", Access: route.Anyone, Query: []string{"id"}, Handle: h.getFlow},
		{Method: get, Path: kratos.Prefix + "/self-service/registration/flows", Access: route.Anyone, Query: []string{"id"}, Handle: h.getFlow},
		{Method: get, Path: kratos.Prefix + "/self-service/errors", Access: route.Anyone, Query: []string{"id"}, Handle: h.getSignInError},
	}
	return append(route.Named(route.SnakeCase, signIn), []route.Route{
		{Method: get, Path: "/api/is-admin", Access: route.User, Handle: h.isAdmin},
		{Method: get, Path: "/api/get-users-with-roles", Access: route.Staff, Query: []string{"search", "role", "cursor", "limit"}, Handle: h.getUsersWithRoles},
		{Method: post, Path: "/api/set-user-roles", Access: route.FreshAdmin, Handle: route.JSON(h.setUserRoles)},
		{Method: get, Path: "/api/get-person", Access: route.Staff, Query: []string{"person"}, Names: route.But(map[string]string{"id_or_email": "person"}), Handle: h.getPerson},
		{Method: get, Path: "/api/get-person-devices", Access: route.Admin, Query: []string{"userId"}, Handle: h.getPersonDevices},
		{Method: post, Path: "/api/revoke-person-device", Access: route.Admin, Handle: route.JSON(h.revokePersonDevice)},
		{Method: post, Path: "/api/sign-out-person", Access: route.Admin, Handle: route.JSON(h.signOutPerson)},
		{Method: post, Path: "/api/set-person-state", Access: route.FreshAdmin, Handle: route.JSON(h.setPersonState)},
		{Method: post, Path: "/api/delete-person", Access: route.FreshAdmin, Handle: route.JSON(h.deletePerson)},
		{Method: post, Path: "/api/reset-second-factor", Access: route.FreshAdmin, Handle: route.JSON(h.resetSecondFactor)},
		{Method: get, Path: "/api/get-audit-log", Access: route.Admin, Query: []string{"action", "actor", "about", "search", "from", "to", "cursor", "limit"}, Handle: h.getAuditLog},
	}...)
}

// visitor is what Kratos is told about the browser.
func visitor(c *gin.Context) kratos.Visitor {
	return kratos.Visitor{Cookies: c.Request.Cookies(), IP: c.ClientIP(), UserAgent: c.Request.UserAgent()}
}
