package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// HoldApproval reports whether the entry is approved in this very version, and
// if so keeps it that way until the caller's transaction ends.
func (s *Store) HoldApproval(ctx context.Context, tx pgx.Tx, id uuid.UUID, version int64) (bool, error) {
	current, err := s.q.ApprovedVersion(ctx, tx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil && current == version, err
}
