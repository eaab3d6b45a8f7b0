// Package session turns a proof of identity into the product's own session: an access
// token, a refresh token and the person. A session belongs to a family: a browser's lives
// as long as the Kratos session behind it, a Mac's is handed over by a browser and is
// independent of it.
package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// The faults that callers tell apart.
var (
	ErrNoSession  = fault.New(fault.Unauthenticated, "no_session", "No active session")
	ErrUnverified = fault.New(fault.Unauthenticated, "email_not_verified", "Your email address is not verified with your provider.")
	ErrSpent      = fault.New(fault.Unauthenticated, "refresh_token_invalid", "Your session is no longer valid. Please sign in again.")
	// ErrGrant is every code that is not traded, whatever the cause.
	ErrGrant           = fault.New(fault.Invalid, "invalid_grant", "This sign-in has expired. Please start again from the app.")
	ErrTokensForbidden = fault.New(fault.Forbidden, "token_hand_off_disabled", "This app is too old to sign in here. Please update it.")
	ErrTooManyCodes    = fault.New(fault.RateLimited, "too_many_codes", "Please wait a minute before you try again.").RetryAfter(time.Minute)
	ErrLastProvider    = fault.New(fault.Conflict, "last_provider", "This is the only way to sign in to your account.")
	ErrUnknownDevice   = fault.New(fault.NotFound, "unknown_device", "This device is not signed in.")
)

// Kratos is the identity provider's side of a session.
type Kratos interface {
	// Session returns kratos.ErrNoSession when the cookie opens nothing.
	Session(ctx context.Context, cookieHeader string) (kratos.Session, error)
	Providers(ctx context.Context, identity uuid.UUID) ([]string, error)
	// Unlink returns the providers that are left. It fails with kratos.ErrLastProvider.
	Unlink(ctx context.Context, identity uuid.UUID, provider string) (left []string, err error)
	// SessionActive fails with kratos.ErrGone for a session that is not known.
	SessionActive(ctx context.Context, session uuid.UUID) (bool, error)
	EndSession(ctx context.Context, session uuid.UUID) error
	// EndSessionsBesides ends all sessions of an identity but some.
	EndSessionsBesides(ctx context.Context, identity uuid.UUID, kept []uuid.UUID) error
}

// Session is what a person gets.
type Session struct {
	AccessToken  string
	RefreshToken string
	ExpiresAt    time.Time
	// ExpiresIn is ExpiresAt as the caller's clock should count it.
	ExpiresIn time.Duration
	User      account.User
	// DeletionTakenBack reports that this sign-in has taken back the account's deletion.
	DeletionTakenBack bool
}

// Settings are the operator's.
type Settings struct {
	// Issuer of the tokens, the site's origin.
	Issuer string
	// HandOffTokens allows sessions for apps that send no challenge.
	HandOffTokens bool
	// DeletionGrace is how long the deletion of an account can be taken back.
	DeletionGrace time.Duration
}

// Service opens, refreshes and ends sessions.
type Service struct {
	store    Store
	kratos   Kratos
	apple    Consents
	keys     *keyring.Ring
	settings Settings
	clock    clock.Clock
	log      *slog.Logger
	metrics  *Metrics
}

// Consents end what a person has agreed to at Apple.
type Consents interface {
	// Consent reads what it takes before the provider is removed; end asks Apple afterwards and need not succeed.
	Consent(ctx context.Context, identity uuid.UUID) (end func(context.Context), err error)
}

// NewService returns a service.
func NewService(store Store, k Kratos, apple Consents, keys *keyring.Ring, s Settings, clk clock.Clock, log *slog.Logger, m *Metrics) *Service {
	return &Service{store: store, kratos: k, apple: apple, keys: keys, settings: s, clock: clk, log: log, metrics: m}
}

// mint gives out the family's leaf as it is stored. It fails with ErrSpent when
// the secret that the leaf was made under is gone, see renewLost.
func (s *Service) mint(f Family, now time.Time, grant string) (Session, error) {
	refresh, ok := s.keys.RefreshSecrets().Again(f.Leaf(), f.LeafHash)
	if !ok {
		return Session{}, ErrSpent
	}
	access, expires, err := token.Access(s.keys, s.settings.Issuer,
		token.Subject{UserID: f.User.ID, Email: f.User.Email, SessionID: f.ID}, now, f.ExpiresAt)
	if err != nil {
		return Session{}, err
	}
	s.metrics.minted.WithLabelValues(grant).Inc()
	return Session{
		AccessToken: access, RefreshToken: refresh,
		ExpiresAt: expires, ExpiresIn: expires.Sub(now), User: f.User,
	}, nil
}
