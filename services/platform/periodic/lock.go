package periodic

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

const (
	// heartbeat is the pause between signs of life to the server. One that does not come
	// back within heartbeatTimeout means that the lock may be somebody else's soon.
	heartbeat        = pg.LockTimeout / 6
	heartbeatTimeout = pg.LockTimeout / 3
)

// lock takes a task's lock. held ends when the lock is lost; release is nil if another
// replica holds it.
func (s *Scheduler) lock(ctx context.Context, task string) (held context.Context, release func(), err error) {
	db, err := pg.TryLock(ctx, s.pool, "fledge periodic task "+task)
	if err != nil {
		return nil, nil, fmt.Errorf("take the task's lock: %w", err)
	}
	if db == nil {
		return nil, nil, nil
	}
	held, lost := context.WithCancelCause(ctx)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		for service.Pause(held, heartbeat) {
			if err := beat(ctx, db); err != nil {
				lost(fmt.Errorf("the task's lock was lost: %w", err))
			}
		}
	}()
	return held, func() {
		lost(nil)
		<-beating
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeatTimeout)
		defer cancel()
		_ = db.Close(closing)
	}, nil
}

func beat(ctx context.Context, db *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	_, err := db.Exec(ctx, "SELECT")
	return err
}
