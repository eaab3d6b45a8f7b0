package session

import (
	"context"
	"time"

	"fledge.dev/services/identity/internal/account"
)

// Delete begins the deletion of the caller's account: it is disabled, signed out everywhere,
// and erased at the returned moment unless its owner signs in before. Besides the faults of a
// dead caller it fails with authn.ErrNotFresh, and store.ErrLastAdmin. Like SignOut it holds when
// Kratos is out of reach.
func (s *Service) Delete(ctx context.Context, c Caller) (eraseAt time.Time, err error) {
	if err := s.CheckFresh(ctx, c); err != nil {
		return time.Time{}, err
	}
	now := s.clock.Now()
	eraseAt = now.Add(s.settings.DeletionGrace)
	ended, err := s.store.BeginDeletion(ctx, c.User, now, eraseAt)
	if err != nil {
		return time.Time{}, err
	}
	s.metrics.Ended(SignedOut, ended)
	s.metrics.DeletionBegun()
	s.log.InfoContext(ctx, "an account is to be deleted", "user", c.User, "erase_at", eraseAt, "families", ended)
	if err := s.endAllAtKratos(ctx, c.User); err != nil {
		s.log.WarnContext(ctx, "the sessions of an account that is to be deleted were not ended in Kratos", "user", c.User, "error", err)
	}
	return eraseAt, nil
}

// takeBackDeletion returns the account as it is afterwards.
func (s *Service) takeBackDeletion(ctx context.Context, user account.User, now time.Time) (account.User, bool, error) {
	user, ok, err := s.store.TakeBackDeletion(ctx, user, now)
	if err != nil || !ok {
		return user, false, err
	}
	s.metrics.deletions.WithLabelValues("taken_back").Inc()
	s.log.InfoContext(ctx, "an account is no longer to be deleted", "user", user.ID)
	return user, true, nil
}
