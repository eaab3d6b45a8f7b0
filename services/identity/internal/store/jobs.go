package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// LastRun implements projection.Store.
func (s *Store) LastRun(ctx context.Context, job string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	last, err := s.q.LastRun(ctx, s.pool, job)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	return last.UTC(), pg.Fault(err, nil)
}

// RecordRun implements projection.Store.
func (s *Store) RecordRun(ctx context.Context, job string, began time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.deadline)
	defer cancel()
	return pg.Fault(s.q.RecordRun(ctx, s.pool, db.RecordRunParams{Job: job, BeganAt: began}), nil)
}
