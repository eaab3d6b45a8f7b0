package kratos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	ory "github.com/ory/kratos-client-go"

	"fledge.dev/services/platform/brand"
)

// Session is a live Kratos session.
type Session struct {
	ID       uuid.UUID
	Identity uuid.UUID
	// Email is the identity's one verified address, lower-cased; "" when there is
	// none. An address that is not verified may be a stranger's.
	Email           string
	EmailVerifiedAt time.Time
	// Provider that the person came with: "google" or "apple".
	Provider string
	// AuthenticatedAt is when the person last came from a provider.
	AuthenticatedAt time.Time
	// SecondFactor reports whether the person has verified one in this session.
	SecondFactor bool
	ExpiresAt    time.Time
}

const (
	maxCookie     = 4096
	confirmations = 2
	// cacheHeader is set on a refusal that needed no database: Kratos did not make the
	// cookie (feature_flags.cacheable_sessions).
	cacheHeader = "Ory-Session-Cache-For"
)

// Session returns the session that a Cookie header opens, or ErrNoSession.
func (c *Client) Session(ctx context.Context, cookieHeader string) (Session, error) {
	cookie, ok := sessionCookie(cookieHeader)
	if !ok {
		return Session{}, ErrNoSession
	}
	session, certain, err := c.whoami(ctx, cookie)
	// Kratos answers the same for a session that is over and for a database that it cannot
	// read, as long as it has old connections. So the answer has to be confirmed by further
	// ones, with Kratos ready in between.
	for range confirmations {
		if certain || !errors.Is(err, ErrNoSession) {
			break
		}
		if err := c.ready(ctx); err != nil {
			return Session{}, err
		}
		session, certain, err = c.whoami(ctx, cookie)
	}
	return session, err
}

// whoami reads the session. certain means that ErrNoSession does not depend on Kratos' database.
func (c *Client) whoami(ctx context.Context, cookie string) (s Session, certain bool, err error) {
	var session *ory.Session
	var cause error
	status, err := c.call(ctx, "whoami", func(ctx context.Context) (resp *http.Response, _ error) {
		session, resp, cause = c.public.FrontendAPI.ToSession(ctx).Cookie(cookie).Execute()
		certain = resp != nil && resp.StatusCode == http.StatusUnauthorized && resp.Header.Get(cacheHeader) != ""
		return resp, cause
	})
	switch {
	case err != nil:
		return Session{}, false, err
	case says(cause, status, http.StatusUnauthorized):
		return Session{}, certain, ErrNoSession
	case status != http.StatusOK || cause != nil || session == nil:
		return Session{}, false, errUnavailable.Wrap(errors.Join(fmt.Errorf("whoami: status %d", status), cause))
	case !session.GetActive() || session.Identity == nil:
		return Session{}, false, ErrNoSession
	}
	s, err = toSession(session)
	return s, false, err
}

// ready is nil while Kratos reaches its database.
func (c *Client) ready(ctx context.Context) error {
	status, err := c.call(ctx, "ready", func(ctx context.Context) (*http.Response, error) {
		_, resp, err := c.public.MetadataAPI.IsReady(ctx).Execute()
		return resp, err
	})
	if err == nil && status != http.StatusOK {
		err = errUnavailable.Wrap(fmt.Errorf("ready: status %d", status))
	}
	return err
}

// sessionCookie picks the one cookie that Kratos needs out of a browser's header, under the name
// that Kratos is configured with or the other one, which Kratos does not look at.
func sessionCookie(header string) (string, bool) {
	if header == "" || len(header) > 2*maxCookie {
		return "", false
	}
	cookies, err := http.ParseCookie(header)
	if err != nil {
		// One odd cookie of another site on the same host must not sign people out.
		cookies = (&http.Request{Header: http.Header{"Cookie": {header}}}).Cookies()
	}
	i := slices.IndexFunc(cookies, func(k *http.Cookie) bool { return k.Name == brand.SessionCookie || k.Name == brand.HostSessionCookie })
	if i < 0 || cookies[i].Value == "" || len(cookies[i].Value) > maxCookie {
		return "", false
	}
	return cookies[i].String(), true
}

func toSession(s *ory.Session) (Session, error) {
	id, err := uuid.Parse(s.GetId())
	if err != nil {
		return Session{}, errUnavailable.Wrap(fmt.Errorf("session id: %w", err))
	}
	identity, err := uuid.Parse(s.Identity.GetId())
	if err != nil {
		return Session{}, errUnavailable.Wrap(fmt.Errorf("identity id: %w", err))
	}
	provider, provedAt := providerOf(s.GetAuthenticationMethods())
	out := Session{
		ID: id, Identity: identity, Provider: provider, AuthenticatedAt: s.GetAuthenticatedAt(), ExpiresAt: s.GetExpiresAt().UTC(),
		SecondFactor: s.GetAuthenticatorAssuranceLevel() == ory.AUTHENTICATORASSURANCELEVEL_AAL2,
	}
	// Kratos takes a second factor for a sign-in.
	if out.SecondFactor && !provedAt.IsZero() {
		out.AuthenticatedAt = provedAt
	}
	// The database keeps microseconds.
	out.AuthenticatedAt = out.AuthenticatedAt.UTC().Truncate(time.Microsecond)
	out.Email, out.EmailVerifiedAt = verifiedEmail(s.Identity)
	return out, nil
}

// verifiedAddress is the identity's address if it has exactly one and Kratos
// has seen a provider vouch for it.
func verifiedAddress(addresses []ory.VerifiableIdentityAddress) *ory.VerifiableIdentityAddress {
	if len(addresses) != 1 || !addresses[0].GetVerified() || addresses[0].GetVia() != "email" || addresses[0].GetValue() == "" {
		return nil
	}
	return &addresses[0]
}

// providerOf is the latest method's provider, and when it vouched for the person. Right after
// linking the newest method names none, and the one before it does.
func providerOf(methods []ory.SessionAuthenticationMethod) (provider string, at time.Time) {
	for _, m := range slices.Backward(methods) {
		if p := m.GetProvider(); p != "" {
			return p, m.GetCompletedAt()
		}
	}
	return "", time.Time{}
}
