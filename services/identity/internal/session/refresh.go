package session

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/secrettoken"
)

// Refresh trades a refresh token for its child. The direct parent of the current
// token gets the same child again for Grace; any older one revokes the family. A newer one is genuine, too: it was given
// out before the database went back.
// A browser's is refused without the cookie of its own session: whoever has taken
// it from a page has nothing, and nothing ends. Every refusal is ErrSpent,
// whatever its cause.
func (s *Service) Refresh(ctx context.Context, refreshToken, cookieHeader string, d Device) (Session, error) {
	secrets := s.keys.RefreshSecrets()
	presented, err := secrets.Parse(refreshToken)
	if err != nil {
		return Session{}, ErrSpent.Wrap(err)
	}
	browser, unknown := s.browserOf(ctx, cookieHeader)
	now := s.clock.Now()
	var family Family
	ok, err := s.store.Change(ctx, presented.Family, now, func(f *Family) error {
		if f.Kind() == Browser && unknown != nil && f.Alive(now) {
			return unknown
		}
		if f.Kind() == Browser && f.KratosSession != browser {
			s.log.WarnContext(ctx, "a browser's refresh token was presented without its cookie", "family", f.ID, "user", f.User.ID)
			return ErrSpent
		}
		switch f.verify(presented, secrettoken.Sum(refreshToken), now) {
		case rotate:
			f.Generation = presented.Generation + 1
			f.LeafHash, f.RotatedAt = secrettoken.Sum(secrets.New(f.Leaf())), now
		case repeat:
		case revoke:
			f.Revoked = Reused
			s.metrics.revoked.WithLabelValues(string(Reused)).Inc()
			s.log.WarnContext(ctx, "spent refresh token presented, family revoked", "family", f.ID, "user", f.User.ID)
			return ErrSpent
		case refuse:
			return ErrSpent
		}
		f.usedBy(d, now)
		family = *f
		return nil
	})
	if !ok && err == nil {
		err = ErrSpent
	}
	if err != nil {
		return Session{}, err
	}
	return s.mint(family, now, "refresh")
}

// browserOf returns the Kratos session of a cookie, uuid.Nil for none, or why that is unknown,
// which is nothing to a Mac.
func (s *Service) browserOf(ctx context.Context, cookieHeader string) (uuid.UUID, error) {
	if cookieHeader == "" {
		return uuid.Nil, nil
	}
	k, err := s.kratos.Session(ctx, cookieHeader)
	if errors.Is(err, kratos.ErrNoSession) {
		return uuid.Nil, nil
	}
	return k.ID, err
}
