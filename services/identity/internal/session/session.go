// Package session turns a proof of identity into the product's own session: an
// access token, a refresh token and the person (spec section 3). A session
// belongs to a family, which lives as long as the Kratos session behind it.
package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// The faults that callers tell apart.
var (
	ErrNoSession  = fault.New(fault.Unauthenticated, "no_session", "No active session")
	ErrUnverified = fault.New(fault.Unauthenticated, "email_not_verified", "Your e-mail address is not verified with your provider.")
	ErrSpent      = fault.New(fault.Unauthenticated, "refresh_token_invalid", "Your session is no longer valid. Please sign in again.")
)

// Store keeps people and families. Each method is one transaction.
type Store interface {
	// RecordSignIn creates or updates the person.
	RecordSignIn(ctx context.Context, s account.SignIn, now time.Time) (account.User, error)
	// FamilyOf returns the family of a Kratos session: the living one, else the
	// one that was signed out, else any; ok is false when there is none.
	FamilyOf(ctx context.Context, kratosSession uuid.UUID) (f Family, ok bool, err error)
	// OpenFamily stores a new family. ok is false when the Kratos session got one
	// meanwhile or was signed out.
	OpenFamily(ctx context.Context, f Family, c Client, now time.Time) (ok bool, err error)
	// Change hands the family to decide under a lock, stores its Generation,
	// LeafHash, RotatedAt and Revoked, and returns decide's error after that.
	// ok is false when there is no such family.
	Change(ctx context.Context, id uuid.UUID, now time.Time, decide func(*Family) error) (ok bool, err error)
	// CloseKratosSession ends all families of a Kratos session as signed out.
	CloseKratosSession(ctx context.Context, kratosSession uuid.UUID, now time.Time) error
}

// Kratos is the identity provider's side of a session.
type Kratos interface {
	// Session returns kratos.ErrNoSession when the cookie opens nothing.
	Session(ctx context.Context, cookieHeader string) (kratos.Session, error)
	Providers(ctx context.Context, identity uuid.UUID) ([]string, error)
	EndSession(ctx context.Context, session uuid.UUID) error
}

// Keys are the keys that tokens are made with.
type Keys interface {
	token.Signer
	RefreshSecret() []byte
}

// Client describes the browser or device, for its owner to recognise.
type Client struct {
	UserAgent string
	IPAddress string
}

// Session is what a person gets.
type Session struct {
	AccessToken  string
	RefreshToken string
	ExpiresAt    time.Time
	// ExpiresIn is ExpiresAt as the caller's clock should count it.
	ExpiresIn time.Duration
	User      account.User
}

// Service opens, refreshes and ends sessions.
type Service struct {
	store   Store
	kratos  Kratos
	keys    Keys
	issuer  string
	clock   clock.Clock
	log     *slog.Logger
	metrics *Metrics
}

// NewService returns a service whose tokens are issued by issuer, the site's origin.
func NewService(store Store, k Kratos, keys Keys, issuer string, clk clock.Clock, log *slog.Logger, m *Metrics) *Service {
	return &Service{store: store, kratos: k, keys: keys, issuer: issuer, clock: clk, log: log, metrics: m}
}

func (s *Service) mint(f Family, now time.Time, grant string) (Session, error) {
	access, expires, err := token.Access(s.keys, s.issuer,
		token.Subject{UserID: f.User.ID, Email: f.User.Email, SessionID: f.ID}, now, f.ExpiresAt)
	if err != nil {
		return Session{}, err
	}
	s.metrics.minted.WithLabelValues(grant).Inc()
	return Session{
		AccessToken: access, RefreshToken: f.Leaf().String(s.keys.RefreshSecret()),
		ExpiresAt: expires, ExpiresIn: expires.Sub(now), User: f.User,
	}, nil
}
