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
	// tryLock takes a lock and, with it, sets settings of its session: whoever dies after one statement and before
	// the next would hold it for hours.
	tryLock = `SELECT CASE WHEN pg_try_advisory_lock(hashtextextended($1, 0))
		THEN (SELECT count(set_config(name, $3, false)) FROM unnest($2::text[]) AS setting (name)) ELSE 0 END > 0`
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
	if err := conn.QueryRow(ctx, tryLock, name, sessionSettings, lockTimeoutMillis()).Scan(&mine); err != nil || !mine {
		conn.Release()
		if err != nil {
			err = fmt.Errorf("pg: lock %q: %w", name, err)
		}
		return nil, err
	}
	return conn.Hijack(), nil
}
