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

// SortOnce is one turn of Sorting.
func (s *Store) SortOnce(ctx context.Context) (pages int64, err error) { return s.sort(ctx) }

// Roughly is what the search index is asked for.
var Roughly = roughly
