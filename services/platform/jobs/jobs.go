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

	"fledge.dev/services/platform/pg"
)

// migrationLock makes replicas that start together wait for each other. It is free at the latest
// [pg.LockTimeout] after the last statement of a holder that is gone.
const migrationLock = `SELECT pg_advisory_lock(hashtextextended('fledge jobs migration ' || $1, 0))`

// Migrate creates the queue's tables in the schema or brings them up to date. A
// service calls it after pg.Migrate.
func Migrate(ctx context.Context, url, schema string) error {
	if err := migrate(ctx, url, schema); err != nil {
		return fmt.Errorf("jobs: migrate %s: %w", schema, err)
	}
	return nil
}

// migrate works on one connection, which holds the lock as long as it lives.
func migrate(ctx context.Context, url, schema string) error {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = 1, 0, 0
	pg.EndSilent(cfg.ConnConfig)
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, migrationLock, schema)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize()); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}
