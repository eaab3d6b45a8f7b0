package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/waitlist/internal/store/db"
)

// SignupCounts are sign-ups by UTC day and source. The zero value is none.
type SignupCounts struct{ by map[daySource]int64 }

type daySource struct {
	day    time.Time
	source string
}

// Add counts one more.
func (c *SignupCounts) Add(at time.Time, source string) {
	if c.by == nil {
		c.by = map[daySource]int64{}
	}
	c.by[daySource{at.UTC().Truncate(24 * time.Hour), source}]++
}

// CountSignups adds the counts to what was counted before, in the caller's
// transaction.
func (s *Store) CountSignups(ctx context.Context, tx pgx.Tx, counts SignupCounts) error {
	var p db.CountSignupsParams
	for key, n := range counts.by {
		p.Days, p.Sources, p.Counts = append(p.Days, key.day), append(p.Sources, key.source), append(p.Counts, n)
	}
	return s.q.CountSignups(ctx, tx, p)
}

// HoldApproval reports whether the entry is approved in this very version, and
// if so keeps it that way until the caller's transaction ends.
func (s *Store) HoldApproval(ctx context.Context, tx pgx.Tx, id uuid.UUID, version int64) (bool, error) {
	current, err := s.q.ApprovedVersion(ctx, tx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil && current == version, err
}
