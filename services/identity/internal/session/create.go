package session

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// Create trades a live Kratos session for ours. Calls with the same cookie get
// the same family and its current refresh token, so tabs need not agree first.
// It fails with ErrNoSession, ErrUnverified, authn.ErrDisabled, or Unavailable
// while Kratos or the database cannot be asked.
func (s *Service) Create(ctx context.Context, cookieHeader string, c Client) (Session, error) {
	k, err := s.kratos.Session(ctx, cookieHeader)
	if errors.Is(err, kratos.ErrNoSession) {
		return Session{}, ErrNoSession
	}
	if err != nil {
		return Session{}, err
	}
	if k.Email == "" {
		return Session{}, ErrUnverified
	}
	family, err := s.familyFor(ctx, k, c)
	if err != nil {
		return Session{}, err
	}
	now := s.clock.Now()
	switch {
	case family.User.Disabled:
		return Session{}, authn.ErrDisabled
	case !family.Alive(now):
		return Session{}, ErrNoSession
	}
	return s.mint(family, now, "cookie")
}

func (s *Service) familyFor(ctx context.Context, k kratos.Session, c Client) (Family, error) {
	family, ok, err := s.store.FamilyOf(ctx, k.ID)
	if err != nil || ok && (family.Revoked == "" || family.Revoked == SignedOut) {
		return family, err
	}
	if err := s.open(ctx, k, c); err != nil {
		return Family{}, err
	}
	// Read back: another tab may have been first, or a sign-out.
	family, ok, err = s.store.FamilyOf(ctx, k.ID)
	if err == nil && !ok {
		err = ErrNoSession
	}
	return family, err
}

// open starts a family, which is also the moment to repair what lost hooks left
// out of the person's record.
func (s *Service) open(ctx context.Context, k kratos.Session, c Client) error {
	providers, err := s.kratos.Providers(ctx, k.Identity)
	if err != nil {
		s.log.WarnContext(ctx, "linked providers unknown", "error", err)
	}
	now := s.clock.Now()
	user, err := s.store.RecordSignIn(ctx, account.SignIn{
		UserID: k.Identity, Email: k.Email, Provider: k.Provider, Identities: providers,
		ConfirmedAt: k.EmailVerifiedAt, At: k.AuthenticatedAt,
	}, now)
	if err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fault.Of(err)
	}
	family := Family{ID: id, User: user, KratosSession: k.ID, RotatedAt: now, ExpiresAt: earlier(now.Add(Lifetime), k.ExpiresAt)}
	family.LeafHash = token.Refresh{Family: id}.Hash(s.keys.RefreshSecret())
	ok, err := s.store.OpenFamily(ctx, family, c, now)
	if ok {
		s.metrics.signIns.WithLabelValues(k.Provider).Inc()
	}
	return err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
