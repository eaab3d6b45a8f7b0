package periodic

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// lockTimeout bounds taking and giving back the lock of a task.
	lockTimeout = 5 * time.Second
	// tryLock takes a lock that belongs to the connection, and makes the server notice
	// within a minute when the replica at its other end is no more.
	tryLock = `SELECT pg_try_advisory_lock(hashtextextended('fledge periodic task ' || $1, 0)),
		set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)`
	unlock = `SELECT pg_advisory_unlock(hashtextextended('fledge periodic task ' || $1, 0))`
)

// lock takes a task's lock. held ends when the lock is lost; release is nil if another
// replica holds it.
func (s *Scheduler) lock(ctx context.Context, task string) (held context.Context, release func(), err error) {
	taking, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(taking)
	if err != nil {
		return nil, nil, fmt.Errorf("take the task's lock: %w", err)
	}
	var mine bool
	var keepalives [3]string
	err = conn.QueryRow(taking, tryLock, task).Scan(&mine, &keepalives[0], &keepalives[1], &keepalives[2])
	if err != nil || !mine {
		conn.Release()
		if err != nil {
			err = fmt.Errorf("take the task's lock: %w", err)
		}
		return nil, nil, err
	}
	held, lost := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		// It waits for what never comes, so that it hears of the connection's end.
		for held.Err() == nil {
			if _, err := conn.Conn().WaitForNotification(held); err != nil {
				lost(fmt.Errorf("the task's lock was lost: %w", err))
			}
		}
	}()
	return held, func() {
		lost(nil)
		<-watched
		s.unlock(ctx, conn, task)
	}, nil
}

// unlock gives the lock back, at the worst with its connection.
func (s *Scheduler) unlock(ctx context.Context, conn *pgxpool.Conn, task string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTimeout)
	defer cancel()
	if _, err := conn.Exec(ctx, unlock, task); err != nil {
		_ = conn.Conn().Close(ctx) // it may still hold the lock
	}
	conn.Release()
}
