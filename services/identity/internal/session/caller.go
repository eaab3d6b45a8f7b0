package session

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
)

// Caller is whom an access token speaks for. It proves that the family lived
// when the token was made; what opens or ends families asks whether it still does.
type Caller struct {
	User   uuid.UUID
	Family uuid.UUID
}

// living returns the caller's family as it is now. It fails with
// authn.ErrBadToken when the family has ended, or authn.ErrDisabled.
func (s *Service) living(ctx context.Context, c Caller) (Family, error) {
	f, ok, err := s.store.Family(ctx, c.Family)
	if err != nil {
		return Family{}, err
	}
	if !ok || f.User.ID != c.User {
		return Family{}, authn.ErrBadToken
	}
	return f, f.check(s.clock.Now())
}

// CheckFresh refuses, besides a dead caller, one who has not signed in lately: authn.ErrNotFresh.
func (s *Service) CheckFresh(ctx context.Context, c Caller) error {
	family, err := s.living(ctx, c)
	if err == nil && !family.Fresh(s.clock.Now()) {
		err = authn.ErrNotFresh
	}
	return err
}

// check tells why a family is not Alive.
func (f Family) check(now time.Time) error {
	switch {
	case f.User.Disabled:
		return authn.ErrDisabled
	case !f.Alive(now):
		return authn.ErrBadToken
	}
	return nil
}

// checkHandOff tells why a family may not hand its sign-in over.
func (f Family) checkHandOff(now time.Time) error {
	if err := f.check(now); err != nil {
		return err
	}
	if f.Kind() != Browser {
		return authn.ErrForbidden
	}
	return nil
}
