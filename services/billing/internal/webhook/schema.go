package webhook

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// migrationLock makes replicas that start together wait for each other.
const migrationLock = `SELECT pg_advisory_lock(hashtextextended('fledge billing jobs migration', 0))`

// Migrate creates the queue's tables or brings them up to date. It comes after
// store.Migrate.
func Migrate(ctx context.Context, url string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return fmt.Errorf("webhook: migrate: %w", err)
	}
	defer pool.Close()
	guard, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("webhook: migrate: %w", err)
	}
	// The lock ends with its session, whatever happens in between.
	defer func() { _ = guard.Hijack().Close(context.WithoutCancel(ctx)) }()
	for _, statement := range []string{migrationLock, "CREATE SCHEMA IF NOT EXISTS " + schema} {
		if _, err := guard.Exec(ctx, statement); err != nil {
			return fmt.Errorf("webhook: migrate: %w", err)
		}
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema})
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return fmt.Errorf("webhook: migrate: %w", err)
	}
	return nil
}
