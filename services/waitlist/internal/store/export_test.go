package store

import (
	"context"

	"fledge.dev/services/waitlist/internal/entry"
)

// JoinAlone is Join with a statement of its own, for comparison.
func (s *Store) JoinAlone(ctx context.Context, email entry.Email, source entry.Source) (bool, error) {
	isNew, err := s.signUp(ctx, []entry.Entry{entry.New(email, source, s.clock.Now())})
	return err == nil && isNew[0], err
}
