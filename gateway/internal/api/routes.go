package api

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/kratos"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

// Access says who may use a route and how they prove it.
type Access int

const (
	// Anyone may use the route; credentials are not looked at.
	Anyone Access = iota
	// Optional routes take anonymous requests; a bearer that is sent must be valid.
	Optional
	// User routes need a valid bearer.
	User
	// Admin routes need the bearer of an active account that holds the admin role.
	Admin
	// Cookie routes act on the browser's cookie, and only for our own site.
	Cookie
)

// Limit names the bucket that a route draws from besides the general one.
type Limit int

const (
	// General is no further limit.
	General Limit = iota
	// SignUp is for joining the waitlist.
	SignUp
	// SignIn is for starting sign-ins, each of which adds a row in Kratos' database.
	SignIn
	// Session is for trading the cookie for tokens: for an expired cookie identity may ask
	// Kratos several times.
	Session
	// Token is for handing a session over and for trading codes and refresh tokens: nobody
	// can guess many of them, and each adds a row.
	Token
	// Buying is for opening Stripe's pages, each of which is a call to Stripe.
	Buying
	// Syncing is for asking Stripe about a checkout, which a page does every two seconds
	// until it is paid. It has a bucket for each account.
	Syncing
)

// Route is one row of the table of everything that the gateway serves.
type Route struct {
	Method string
	// Path is gin's template.
	Path   string
	Access Access
	Limit  Limit
	// Query names the parameters that the route takes.
	Query []string
	// ForeignQuery is for queries that the identity provider defines; they are not checked.
	ForeignQuery bool
	// Delivery is for webhooks, which a service posts from a few addresses. The rates of one
	// client do not apply to them. They have caps of their own on requests in progress, so
	// that neither they nor people can take the places of the others. Their body is not
	// decoded: the bytes are what was signed.
	Delivery bool
	// Budget is how long the route may take if it sends files or asks Stripe; 0 is the
	// default.
	Budget time.Duration
	// Arrival is how long the body may take to arrive if it is a file; 0 is the default.
	Arrival time.Duration

	handle handler
}

// fileBudget is enough for a file over a slow line.
const fileBudget = time.Minute

// handler serves a request; an error is answered by package problem.
type handler func(*gin.Context) error

// Routes is the table of all routes. Nothing is served without a row.
func (a *API) Routes() []Route {
	const callback = kratos.Prefix + "/self-service/methods/oidc/callback"
	get, head, post, put := http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut
	return []Route{
		{Method: post, Path: joinPath, Access: Optional, Limit: SignUp, handle: a.addWaitlistUser},
		{Method: get, Path: "/api/get-waitlist-status", Access: User, handle: a.getWaitlistStatus},
		{Method: get, Path: "/api/get-waitlist-users", Access: Admin, Query: []string{"status", "search", "cursor", "limit"}, handle: a.getWaitlistUsers},
		{Method: post, Path: "/api/approve-waitlist-user", Access: Admin, handle: a.approveWaitlistUser},
		{Method: post, Path: "/api/bulk-approve-waitlist-users", Access: Admin, handle: a.bulkApproveWaitlistUsers},
		{Method: get, Path: "/api/export-waitlist-users", Access: Admin, Query: []string{"status", "search"}, Budget: fileBudget, handle: a.exportWaitlistUsers},
		{Method: post, Path: "/api/import-waitlist-users", Access: Admin, Budget: fileBudget, Arrival: fileBudget, handle: a.importWaitlistUsers},

		{Method: post, Path: "/api/auth/signin/:provider", Access: Cookie, Limit: SignIn, handle: a.startSignIn},
		{Method: get, Path: "/api/auth/session", Access: Cookie, Limit: Session, handle: a.getSession},
		{Method: get, Path: "/api/auth/user", Access: User, handle: a.getUser},
		{Method: post, Path: "/api/auth/sign-out", Access: Cookie, handle: a.signOut},
		{Method: post, Path: "/api/auth/hand-off", Access: User, Limit: Token, handle: a.handOff},
		{Method: post, Path: "/api/auth/token", Access: Anyone, Limit: Token, handle: a.getToken},
		{Method: get, Path: "/api/auth/devices", Access: User, handle: a.getDevices},
		{Method: post, Path: "/api/auth/revoke-device", Access: User, handle: a.revokeDevice},
		{Method: get, Path: "/api/auth/jwks.json", Access: Anyone, handle: a.getJWKS},
		{Method: get, Path: callback + "/google", Access: Anyone, ForeignQuery: true, handle: a.providerCallback("google")},
		{Method: get, Path: callback + "/apple", Access: Anyone, ForeignQuery: true, handle: a.providerCallback("apple")},
		{Method: post, Path: callback + "/apple", Access: Anyone, handle: a.appleFormCallback},
		{Method: get, Path: kratos.Prefix + "/self-service/login/flows", Access: Anyone, Query: []string{"id"}, handle: a.getFlow},
		{Method: get, Path: kratos.Prefix + "/self-service/registration/flows", Access: Anyone, Query: []string{"id"}, handle: a.getFlow},
		{Method: get, Path: kratos.Prefix + "/self-service/errors", Access: Anyone, Query: []string{"id"}, handle: a.getSignInError},

		{Method: get, Path: "/api/is-admin", Access: User, handle: a.isAdmin},
		{Method: get, Path: "/api/get-users-with-roles", Access: Admin, Query: []string{"search", "role", "cursor", "limit"}, handle: a.getUsersWithRoles},
		{Method: post, Path: "/api/set-user-roles", Access: Admin, handle: a.setUserRoles},
		{Method: get, Path: "/api/get-audit-log", Access: Admin, Query: []string{"action", "actor", "search", "from", "to", "cursor", "limit"}, handle: a.getAuditLog},
		{Method: get, Path: "/api/get-admin-stats", Access: Admin, handle: a.getAdminStats},

		{Method: get, Path: "/api/get-plans", Access: Anyone, handle: a.getPlans},
		{Method: post, Path: "/api/create-checkout-session", Access: User, Limit: Buying, Budget: a.cfg.PaymentTimeout, handle: a.createCheckoutSession},
		{Method: post, Path: "/api/sync-checkout-session", Access: User, Limit: Syncing, Budget: a.cfg.PaymentTimeout, handle: a.syncCheckoutSession},
		{Method: post, Path: "/api/create-portal-session", Access: User, Limit: Buying, Budget: a.cfg.PaymentTimeout, handle: a.createPortalSession},
		{Method: get, Path: "/api/get-subscription", Access: User, handle: a.getSubscription},
		{Method: get, Path: "/api/get-credit-balance", Access: User, handle: a.getCreditBalance},
		{Method: get, Path: "/api/get-token-balance", Access: User, handle: a.getTokenBalance},
		{Method: get, Path: "/api/get-credit-history", Access: User, Query: []string{"cursor", "limit"}, handle: a.getCreditHistory},
		{Method: post, Path: "/api/consume-credits", Access: User, handle: a.consumeCredits},
		{Method: post, Path: "/api/hold-credits", Access: User, handle: a.holdCredits},
		{Method: post, Path: "/api/settle-credits", Access: User, handle: a.settleCredits},
		{Method: post, Path: "/api/stripe-webhook", Access: Anyone, Delivery: true, handle: a.receiveStripeEvent},

		{Method: post, Path: "/api/create-support-ticket", Access: User, handle: a.createSupportTicket},
		{Method: get, Path: "/api/get-my-support-tickets", Access: User, Query: []string{"cursor", "limit"}, handle: a.getMySupportTickets},
		{Method: post, Path: "/api/reply-support-ticket", Access: User, handle: a.replySupportTicket},
		{Method: get, Path: "/api/get-support-tickets", Access: Admin, Query: []string{"page", "limit", "status", "category", "priority", "search"}, handle: a.getSupportTickets},
		{Method: get, Path: "/api/get-support-ticket", Access: Admin, Query: []string{"id"}, handle: a.getSupportTicket},
		{Method: put, Path: "/api/update-support-ticket", Access: Admin, handle: a.updateSupportTicket},
		{Method: post, Path: "/api/bulk-update-support-tickets", Access: Admin, handle: a.bulkUpdateSupportTickets},
		{Method: get, Path: "/api/export-support-tickets", Access: Admin, Query: []string{"status", "category", "priority", "search"}, Budget: fileBudget, handle: a.exportSupportTickets},

		{Method: get, Path: "/api/get-github-releases", Access: Admin, handle: a.getReleases},
		{Method: post, Path: "/api/toggle-release-availability", Access: Admin, handle: a.toggleRelease},
		{Method: post, Path: "/api/set-release-rollout", Access: Admin, handle: a.setReleaseRollout},
		{Method: get, Path: "/api/get-download-stats", Access: Admin, Query: []string{"days"}, handle: a.getDownloadStats},
		{Method: get, Path: "/api/get-latest-downloads", Access: Anyone, handle: a.getLatestDownloads},
		{Method: get, Path: "/api/download/:version/:filename", Access: Anyone, handle: a.download},
		{Method: head, Path: "/api/download/:version/:filename", Access: Anyone, handle: a.download},
		{Method: get, Path: "/api/download/arm64", Access: Anyone, handle: a.downloadLatest(releasesv1.Arch_ARCH_ARM64)},
		{Method: head, Path: "/api/download/arm64", Access: Anyone, handle: a.downloadLatest(releasesv1.Arch_ARCH_ARM64)},
		{Method: get, Path: "/api/download/x64", Access: Anyone, handle: a.downloadLatest(releasesv1.Arch_ARCH_X64)},
		{Method: head, Path: "/api/download/x64", Access: Anyone, handle: a.downloadLatest(releasesv1.Arch_ARCH_X64)},
		{Method: get, Path: "/api/updates/latest-mac.yml", Access: Anyone, Query: []string{"noCache"}, handle: a.getUpdateFeed},
		{Method: get, Path: "/api/updates/darwin-:arch/:version", Access: Anyone, handle: a.getSquirrelUpdate},
		{Method: post, Path: "/api/github-webhook", Access: Anyone, Delivery: true, handle: a.receiveGitHubEvent},

		{Method: get, Path: "/api/health", Access: Anyone, handle: a.getHealth},
		{Method: get, Path: "/api/openapi.json", Access: Anyone, handle: a.getOpenAPI},
		{Method: get, Path: "/api/docs", Access: Anyone, handle: a.getDocs},
	}
}
