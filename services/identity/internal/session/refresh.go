package session

import (
	"context"

	"fledge.dev/services/identity/internal/token"
)

// Refresh trades a refresh token for its child. The direct parent of the current
// token gets the same child again for Grace; any older one revokes the family.
// Every refusal is ErrSpent, whatever its cause.
func (s *Service) Refresh(ctx context.Context, refreshToken string) (Session, error) {
	secrets := s.keys.RefreshSecrets()
	presented, err := secrets.Parse(refreshToken)
	if err != nil {
		return Session{}, ErrSpent.Wrap(err)
	}
	now := s.clock.Now()
	var family Family
	ok, err := s.store.Change(ctx, presented.Family, now, func(f *Family) error {
		switch f.verify(presented, token.HashOf(refreshToken), now) {
		case rotate:
			f.Generation++
			f.LeafHash, f.RotatedAt = token.HashOf(secrets.New(f.Leaf())), now
		case repeat:
		case revoke:
			f.Revoked = Reused
			s.metrics.revoked.WithLabelValues(string(Reused)).Inc()
			s.log.WarnContext(ctx, "spent refresh token presented, family revoked", "family", f.ID, "user", f.User.ID)
			return ErrSpent
		case refuse:
			return ErrSpent
		}
		f.used(now)
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
