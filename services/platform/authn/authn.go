// Package authn verifies access tokens and decides who may call what.
//
// An access token is a JWT (RFC 9068: typ "at+jwt") signed with EdDSA by the
// identity service: iss is the site's origin, aud the product, sub the account,
// sid the session family. Every service verifies it by itself; the gateway is
// not the only guard.
package authn

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/fault"
)

// Access says who may call a method.
type Access int

const (
	// Public methods need no token; one that is sent must still be valid.
	Public Access = iota
	// User methods need a valid access token, and ask by themselves whether the session
	// that it is of still lives. For identity, which knows.
	User
	// Active methods need a valid access token of an account that is, at this
	// moment, not disabled, in a session that was not signed out.
	Active
	// UserOrServer and ActiveOrServer methods are User and Active methods that a server of ours
	// may call, too, with a token of its own whose scope is ScopeSpend.
	UserOrServer
	ActiveOrServer
	// Staff methods need a valid access token of an active account that holds
	// the moderator or the admin role at this moment, in a browser's session whose
	// sign-in is at most StaffFor old and, where the installation requires it, has
	// verified a second factor.
	Staff
	// Admin methods are Staff methods that need the admin role.
	Admin
	// FreshAdmin methods are Admin methods that need a sign-in of the last
	// FreshFor: for what gives power, takes data out, or cannot be undone.
	FreshAdmin
	// Internal methods need the shared internal token and serve no person.
	Internal
)

const (
	// StaffFor is how long after a sign-in a browser's session is good for staff's methods.
	StaffFor = 12 * time.Hour
	// FreshFor is how long a sign-in counts as fresh.
	FreshFor = 15 * time.Minute
)

// forStaff reports whether a method needs a role of the staff's, forAdmins whether that is the admin's.
func (a Access) forStaff() bool  { return a == Staff || a.forAdmins() }
func (a Access) forAdmins() bool { return a == Admin || a == FreshAdmin }

// forServers reports whether a server of ours may call a method with a token of its own.
func (a Access) forServers() bool { return a == UserOrServer || a == ActiveOrServer }

// ScopeSpend is the scope of the tokens of servers that spend people's credits.
const ScopeSpend = "credits:spend"

// Policy maps each full gRPC method name ("/pkg.Service/Method") to who may call
// it. A method without a row cannot be served.
type Policy map[string]Access

// Principal is the person that a verified token speaks for, or the server of ours.
type Principal struct {
	// Server is the server's client id; then there is no person, and the next three are empty.
	Server string
	// UserID is the account's UUID.
	UserID string
	// Email is the account's verified address, lower-cased.
	Email string
	// SessionID is the token's session family.
	SessionID string
	// Bearer is the token itself, to be forwarded to other services.
	Bearer string
}

type principalKey struct{}

// WithPrincipal returns ctx speaking for p.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// FromContext returns the person being served, if there is one.
func FromContext(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(Principal)
	return p, ok
}

// Account is the account that the token of ctx speaks for.
func Account(ctx context.Context) (uuid.UUID, error) {
	p, ok := FromContext(ctx)
	if !ok {
		return uuid.Nil, ErrNoToken
	}
	id, err := uuid.Parse(p.UserID)
	if err != nil {
		return uuid.Nil, ErrBadToken.Wrap(err)
	}
	return id, nil
}

// Rights are what an account may do at this moment, in the session it acts in.
type Rights struct {
	// SignedIn is false once the session was signed out or revoked.
	SignedIn bool
	// Active is false when the account is disabled or gone.
	Active bool
	// Admin and Moderator are the roles that the account holds, each for itself.
	Admin, Moderator bool
	// StaffSession is true in a browser's session whose sign-in is at most StaffFor old.
	StaffSession bool
	// Fresh is true when the sign-in is at most FreshFor old.
	Fresh bool
	// SecondFactorMissing is true when the account is staff's and needs a second factor that the session
	// has not verified.
	SecondFactorMissing bool
}

// IsStaff reports whether the account holds a role that opens the staff's methods.
func (r Rights) IsStaff() bool { return r.Admin || r.Moderator }

// AccessChecker answers from identity's own records. Answers may be up to 5 s old.
type AccessChecker interface {
	CheckAccess(ctx context.Context, p Principal) (Rights, error)
}

// The faults of authentication. Clients learn nothing else: only the log says why exactly
// a token was refused.
var (
	ErrNoToken   = fault.New(fault.Unauthenticated, "no_token", "Please sign in.")
	ErrBadToken  = fault.New(fault.Unauthenticated, "invalid_token", "Your session is no longer valid. Please sign in again.")
	ErrForbidden = fault.New(fault.Forbidden, "forbidden", "You are not allowed to do this.")
	ErrDisabled  = fault.New(fault.Forbidden, "account_disabled", "This account is disabled.")
	// ErrStaffSignIn refuses staff's methods on a Mac, or to whoever signed in too long ago.
	ErrStaffSignIn = fault.New(fault.Forbidden, "staff_sign_in_required", "Please sign in again in the browser to use the staff pages.")
	// ErrNotFresh refuses what needs a fresh sign-in.
	ErrNotFresh = fault.New(fault.Forbidden, "fresh_sign_in_required", "Please sign in again to confirm that it is you.")
	// ErrSecondFactor refuses staff's methods until the session has verified a second factor.
	ErrSecondFactor = fault.New(fault.Forbidden, "second_factor_required", "Please enter a code of your authenticator app to use the staff pages.")
	errNotHere      = fault.New(fault.NotFound, "not_found", "Not found.")
	errOtherToken   = errors.New("the caller's INTERNAL_TOKEN is not among ours")
)

// ParseBearer returns the token of an Authorization header. Exactly one form is
// accepted, "Bearer <token>" with one space (RFC 6750), with the scheme in any case
// (RFC 9110, section 11.1); ok is false when the header is absent.
func ParseBearer(values []string) (token string, ok bool, err error) {
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
	default:
		return "", false, ErrBadToken
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " \t\r\n,") {
		return "", false, ErrBadToken
	}
	return token, true, nil
}
