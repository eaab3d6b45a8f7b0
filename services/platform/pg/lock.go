package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// LockTimeout is how long the holder of a lock may be silent: the server then takes it
	// for dead and frees the lock.
	LockTimeout = 30 * time.Second
	// lockDeadline bounds taking a lock.
	lockDeadline = 5 * time.Second
	expire       = `SELECT set_config(name, $2, false) FROM unnest($1::text[]) AS setting (name)`
)

// silences are the settings that end the session of a holder that has died, whichever way:
// its process hangs, its machine or the network to it is gone. By themselves servers wait for
// hours.
var silences = []string{"idle_session_timeout", "idle_in_transaction_session_timeout", "tcp_user_timeout"}

// EndSilent has the server end each session of the configuration that is silent for
// [LockTimeout], and free its locks. A statement that runs is not silent.
func EndSilent(cfg *pgx.ConnConfig) {
	for _, name := range silences {
		cfg.RuntimeParams[name] = silence()
	}
}

func silence() string { return fmt.Sprint(LockTimeout.Milliseconds()) }

// TryLock takes the advisory lock of a name for one replica, or returns nil when another has
// it. The lock lives as long as the connection, which is the caller's to use and to close. It
// is lost when the connection has been silent for [LockTimeout].
func TryLock(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, lockDeadline)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("pg: lock %q: %w", name, err)
	}
	var mine bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtextextended($1, 0))", name).Scan(&mine); err != nil || !mine {
		conn.Release()
		if err != nil {
			err = fmt.Errorf("pg: lock %q: %w", name, err)
		}
		return nil, err
	}
	held := conn.Hijack()
	if _, err := held.Exec(ctx, expire, silences, silence()); err != nil {
		_ = held.Close(ctx)
		return nil, fmt.Errorf("pg: lock %q: %w", name, err)
	}
	return held, nil
}
