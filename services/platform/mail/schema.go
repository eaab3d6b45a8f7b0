package mail

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// schema holds River's tables for letters.
const schema = "mail"

// migrationLock makes replicas that start together wait for each other.
const migrationLock = `SELECT pg_advisory_lock(hashtextextended('fledge mail migration', 0))`

// Migrate creates the queue's tables or brings them up to date. A service calls
// it after pg.Migrate.
func Migrate(ctx context.Context, url string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return fmt.Errorf("mail: migrate: %w", err)
	}
	defer pool.Close()
	guard, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("mail: migrate: %w", err)
	}
	// The lock ends with its session, whatever happens in between.
	defer func() { _ = guard.Hijack().Close(context.WithoutCancel(ctx)) }()
	if _, err := guard.Exec(ctx, migrationLock); err != nil {
		return fmt.Errorf("mail: migrate: %w", err)
	}
	if _, err := guard.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema); err != nil {
		return fmt.Errorf("mail: migrate: %w", err)
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema})
	if err != nil {
		return fmt.Errorf("mail: migrate: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("mail: migrate: %w", err)
	}
	return nil
}
