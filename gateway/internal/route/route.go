// Package route is what the packages of routes share: a route's row in the table, reading
// its parameters, and answers of several kinds.
package route

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
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
	// UserOrServer routes are User routes that a server of ours may use, too.
	UserOrServer
	// Staff routes need the bearer of an active account that holds the moderator or the admin role, in
	// a browser that signed in within authn.StaffFor.
	Staff
	// Admin routes are Staff routes that need the admin role.
	Admin
	// FreshAdmin routes are Admin routes that need a sign-in of the last authn.FreshFor.
	FreshAdmin
	// Cookie routes act on the browser's cookie, and only for our own site.
	Cookie
	// CookieOrBearer routes are Cookie routes that apps call, too: a request with a bearer and without
	// cookies is not one that a browser was made to send.
	CookieOrBearer
)

// Limit names the bucket that a route draws from besides the general one.
type Limit int

const (
	// General is no further limit than the one that all requests draw from.
	General Limit = iota
	// SignUp is for joining the waitlist.
	SignUp
	// SignIn is for starting sign-ins, each of which adds a row in Kratos' database, and for exports
	// of one's own data, each of which needs a fresh one.
	SignIn
	// Callback is for coming back from a provider, with the rate of SignIn: each may leave a row
	// in Kratos' database, too.
	Callback
	// FormCallback is for Apple's form, which leads to a Callback: one sign-in takes a token of each.
	FormCallback
	// Session is for trading the cookie for tokens: for an expired cookie identity may ask
	// Kratos several times.
	Session
	// Token is for handing a session over, for trading codes and refresh tokens, each of which
	// adds a row, and for invitations: nobody can guess many of them.
	Token
	// Checkout is for opening Stripe's pages, each of which is a call to Stripe.
	Checkout
	// CheckoutSync is for asking Stripe about a checkout, which a page does every two seconds
	// until it is paid. It has a bucket for each account.
	CheckoutSync
	// MailReport is for the webhook by which emails' providers report: a wave of emails to a stale
	// list brings many at once.
	MailReport
)

// FileBudget is enough for a file over a slow line.
const FileBudget = time.Minute

// Handler serves a request; an error is answered by package problem.
type Handler func(*gin.Context) error

// JSON is the handler of requests whose body is a T, see jsonbody.Decode.
func JSON[T any](handle func(c *gin.Context, body T) error) Handler {
	return func(c *gin.Context) error {
		body, err := jsonbody.Decode[T](c.Writer, c.Request)
		if err != nil {
			return err
		}
		return handle(c, body)
	}
}

// Route is one row of the table of everything that the gateway serves.
type Route struct {
	Method string
	// Path is gin's template.
	Path   string
	Access Access
	Limit  Limit
	// Query names the parameters that the route takes.
	Query []string
	// AnyQuery is for queries that others define, which are not checked: an identity provider's, and what mail and
	// advertising append to links that people pass on.
	AnyQuery bool
	// Webhook is for what a service posts from a few addresses. The general rate of one client does
	// not apply to it. Webhooks have caps of their own on requests in progress, so that neither
	// they nor people can take the places of the others. Their body is not decoded: the bytes
	// are what was signed.
	Webhook bool
	// Budget is how long the route may take if it sends files, changes many rows or asks Stripe; 0 is the
	// default.
	Budget time.Duration
	// Arrival is how long the body may take to arrive if it is a file; 0 is the default.
	Arrival time.Duration
	// ErrorPage is the page of the site where a refusal leads, if the browser itself navigates.
	ErrorPage string
	// OAuth is for routes whose forms are OAuth's requests: they get its answers, also from the limits.
	OAuth bool
	// Objective is for routes of the service level objectives, whose failures are counted from 0.
	Objective bool
	// Names are those of the fields in the faults of the service; nil is CamelCase.
	Names Names

	Handle Handler
}

// Key is the route's method and path.
func (r Route) Key() string { return r.Method + " " + r.Path }

// MaxBody is the longest body that is read before the request takes a place; 0 if the route
// takes none, and -1 for a file, for which it waits by itself once it knows the caller.
func (r Route) MaxBody() int64 {
	switch {
	case r.Arrival > 0:
		return -1
	case r.Method == http.MethodGet:
		return 0
	case r.Webhook:
		return MaxEvent
	default:
		return jsonbody.MaxBytes
	}
}
