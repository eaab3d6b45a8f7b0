// Package jobs keeps the tables of River's job queues and runs their workers. A queue
// has a schema of its own in its service's database.
package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// migrationLock makes replicas that start together wait for each other.
const migrationLock = `SELECT pg_advisory_lock(hashtextextended('fledge jobs migration ' || $1, 0))`

// Migrate creates the queue's tables in the schema or brings them up to date. A
// service calls it after pg.Migrate.
func Migrate(ctx context.Context, url, schema string) error {
	if err := migrate(ctx, url, schema); err != nil {
		return fmt.Errorf("jobs: migrate %s: %w", schema, err)
	}
	return nil
}

func migrate(ctx context.Context, url, schema string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	guard, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// The lock ends with its session, whatever happens in between.
	defer func() { _ = guard.Hijack().Close(context.WithoutCancel(ctx)) }()
	if _, err := guard.Exec(ctx, migrationLock, schema); err != nil {
		return err
	}
	if _, err := guard.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize()); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}
