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
	// expire sets settings for the session that there is.
	expire = `SELECT set_config(name, $2, false) FROM unnest($1::text[]) AS setting (name)`
)

// The settings that end the session of a holder that has died, whichever way: its process
// hangs, its machine or the network to it is gone. By themselves servers wait for hours.
var (
	// transactionSettings are for what is held until the end of a transaction.
	transactionSettings = []string{"idle_in_transaction_session_timeout", "tcp_user_timeout"}
	// sessionSettings are for what is held as long as the session lasts.
	sessionSettings = append([]string{"idle_session_timeout"}, transactionSettings...)
)

// EndSilent has the server end each session of the configuration that is silent for
// [LockTimeout], and free its locks. A statement that runs is not silent.
func EndSilent(cfg *pgx.ConnConfig) { endSilent(cfg, sessionSettings) }

func endSilent(cfg *pgx.ConnConfig, settings []string) {
	for _, name := range settings {
		cfg.RuntimeParams[name] = lockTimeoutMillis()
	}
}

func lockTimeoutMillis() string { return fmt.Sprint(LockTimeout.Milliseconds()) }

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
	if _, err := held.Exec(ctx, expire, sessionSettings, lockTimeoutMillis()); err != nil {
		_ = held.Close(ctx)
		return nil, fmt.Errorf("pg: lock %q: %w", name, err)
	}
	return held, nil
}
