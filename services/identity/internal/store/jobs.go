package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// RunAlone implements projection.Store.
func (s *Store) RunAlone(ctx context.Context, job string, since, now time.Time, run func(ctx context.Context, last time.Time) error) (ran bool, err error) {
	conn, err := s.lockJob(ctx, job)
	if err != nil || conn == nil {
		return false, err
	}
	defer s.unlockJob(ctx, conn, job)
	last, err := s.lastRun(ctx, job)
	if err != nil || last.After(since) {
		return false, err
	}
	if err := run(ctx, last); err != nil {
		return true, err
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.deadline)
	defer cancel()
	return true, pg.Fault(s.q.RecordRun(recording, s.pool, db.RecordRunParams{Job: job, BeganAt: now}), nil)
}

// lockJob returns the connection that holds the lock, nil when another replica does.
func (s *Store) lockJob(ctx context.Context, job string) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	lock, err := s.q.TryJobLock(ctx, conn, job)
	if err != nil || !lock.Ok {
		conn.Release()
		return nil, pg.Fault(err, nil)
	}
	return conn, nil
}

// unlockJob gives the lock back, at the worst with its connection.
func (s *Store) unlockJob(ctx context.Context, conn *pgxpool.Conn, job string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.deadline)
	defer cancel()
	if _, err := s.q.UnlockJob(ctx, conn, job); err != nil {
		_ = conn.Conn().Close(ctx) // it may still hold the lock
	}
	conn.Release()
}

func (s *Store) lastRun(ctx context.Context, job string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	last, err := s.q.LastRun(ctx, s.pool, job)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	return last.UTC(), pg.Fault(err, nil)
}
