package session

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/kratos"
)

// SignOut ends the family (uuid.Nil: none known) and the cookie's session, each
// with the Kratos session behind it. Ours end first: when Kratos is out of reach
// the call fails as Unavailable, but the refresh token is dead already and the
// cookie opens no new family. Signing out of nothing succeeds.
func (s *Service) SignOut(ctx context.Context, family uuid.UUID, cookieHeader string) error {
	ended, err := s.endFamily(ctx, family)
	if err != nil {
		return err
	}
	k, err := s.kratos.Session(ctx, cookieHeader)
	switch {
	case errors.Is(err, kratos.ErrNoSession):
		return nil
	case err != nil:
		return err
	case k.ID == ended:
		return nil
	}
	return s.endKratosSession(ctx, k.ID)
}

// endFamily returns the Kratos session that ended with the family, if any.
func (s *Service) endFamily(ctx context.Context, family uuid.UUID) (kratosSession uuid.UUID, err error) {
	if family == uuid.Nil {
		return uuid.Nil, nil
	}
	_, err = s.store.Change(ctx, family, s.clock.Now(), func(f *Family) error {
		kratosSession, f.Revoked = f.KratosSession, SignedOut
		return nil
	})
	if err != nil || kratosSession == uuid.Nil {
		return uuid.Nil, err
	}
	return kratosSession, s.endKratosSession(ctx, kratosSession)
}

func (s *Service) endKratosSession(ctx context.Context, id uuid.UUID) error {
	if err := s.store.CloseKratosSession(ctx, id, s.clock.Now()); err != nil {
		return err
	}
	s.metrics.revoked.WithLabelValues(string(SignedOut)).Inc()
	return s.kratos.EndSession(ctx, id)
}
