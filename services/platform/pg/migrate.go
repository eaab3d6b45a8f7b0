package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/service"
)

// Migrations is one set of forward-only goose migrations (NNNNN_name.sql in the folder
// migrations of FS). Each set counts its versions in a table of its own, so that a
// service's schema and the platform's tables move independently.
//
// The folder functions, if there is one, has the set's functions as they are now (*.sql, each statement a
// CREATE OR REPLACE FUNCTION) and the file VERSION, in which a number says which of two
// builds has the newer ones. They are applied after the migrations, when the database has
// neither these nor newer ones: in a rolling upgrade an older build that starts last
// leaves the newer functions alone. So the newer ones must, like migrations, suit the
// build before them: a new signature is added beside the old one, and a migration of the
// next release drops that one, IF EXISTS, as a new database never had it.
type Migrations struct {
	Name string
	FS   fs.FS
}

const (
	// startTimeout is how long a start waits for a server that is starting too.
	startTimeout = 30 * time.Second
	// pingEvery is how often a start that has nothing to migrate asks for the server.
	pingEvery = time.Second
	// While a migration waits for a table's lock, all other uses of the table queue behind
	// it, those of the running version included. So a migration waits for a lock no longer
	// than lockWait, lets others pass for lockPause, and gives up after lockTimeout.
	lockWait, lockPause = time.Second, 2 * time.Second
	lockTimeout         = 2 * time.Minute
	lockNotAvailable    = "55P03"
)

// Unit brings the schema up to date, if the configuration says so, waits for the server,
// and closes the pool when everything that uses it has stopped. Units that start after it
// know the server's time.
func (c Config) Unit(pool *pgxpool.Pool, migrate func(context.Context) error) service.Unit {
	return service.Unit{Name: "database", Start: func(ctx context.Context) (func(context.Context) error, error) {
		if c.MigrateOnStart {
			if err := WhenThere(ctx, migrate); err != nil {
				return nil, err
			}
		}
		for pool.Ping(ctx) != nil {
			if !service.Pause(ctx, pingEvery) {
				return nil, ctx.Err()
			}
		}
		return func(context.Context) error { pool.Close(); return nil }, nil
	}}
}

// WhenThere is for what a start needs of a database: it does it again while the
// server cannot be reached or does not take anybody, for half a minute.
func WhenThere(ctx context.Context, do func(context.Context) error) error {
	giveUp := time.Now().Add(startTimeout)
	for {
		err := do(ctx)
		if err == nil || !unreachable(err) || time.Now().After(giveUp) || !service.Pause(ctx, time.Second) {
			return err
		}
	}
}

// unreachable reports whether there is no server yet, or one that takes nobody yet.
func unreachable(err error) bool {
	if errors.Is(err, fault.Unavailable) {
		return true
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isOutage(pgErr.Code)
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting
}

// Migrate brings the database up to date with every set, in order. Replicas
// that start together wait for each other on an advisory lock, which is free at the latest
// [LockTimeout] after the last statement of a holder that is gone.
func Migrate(ctx context.Context, url string, sets ...Migrations) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("pg: %w", err)
	}
	EndSilent(cfg)
	cfg.RuntimeParams["lock_timeout"] = fmt.Sprint(lockWait.Milliseconds())
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }()
	if err := patiently(ctx, func() error { return requireUTF8(ctx, db) }); err != nil {
		return err
	}
	for _, set := range sets {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("pg: %w", err)
		}
		files, err := fs.Sub(set.FS, "migrations")
		if err != nil {
			return fmt.Errorf("pg: migrations %s: %w", set.Name, err)
		}
		provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
			goose.WithTableName("schema_version_"+set.Name), goose.WithSessionLocker(locker))
		if err != nil {
			return fmt.Errorf("pg: migrations %s: %w", set.Name, err)
		}
		err = patiently(ctx, func() error { _, err := provider.Up(ctx); return err })
		if err != nil {
			return fmt.Errorf("pg: migrations %s: %w", set.Name, err)
		}
		if _, err := fs.Stat(set.FS, "functions"); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		schema, err := provider.GetDBVersion(ctx)
		if err != nil {
			return fmt.Errorf("pg: migrations %s: %w", set.Name, err)
		}
		functions, err := readFunctions(set.FS)
		if err != nil {
			return fmt.Errorf("pg: functions %s: %w", set.Name, err)
		}
		if err := patiently(ctx, func() error { return functions.apply(ctx, cfg, set.Name, schema) }); err != nil {
			return fmt.Errorf("pg: functions %s: %w", set.Name, err)
		}
	}
	return nil
}

// requireUTF8 refuses a database that would keep text as bytes, or in another alphabet: it
// would take some of what people type, and refuse or spoil the rest much later.
func requireUTF8(ctx context.Context, db *sql.DB) error {
	var name, encoding string
	err := db.QueryRowContext(ctx, "SELECT datname, pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()").Scan(&name, &encoding)
	if err == nil && encoding != "UTF8" {
		err = fmt.Errorf("database %s has the encoding %s: create it again with ENCODING 'UTF8' TEMPLATE template0", name, encoding)
	}
	if err != nil {
		return fmt.Errorf("pg: %w", err)
	}
	return nil
}

// patiently does it again when it did not get a lock; what was done before stays.
func patiently(ctx context.Context, do func() error) error {
	giveUp := time.Now().Add(lockTimeout)
	for {
		err := do()
		pgErr, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pgErr.Code != lockNotAvailable || time.Now().After(giveUp) || !service.Pause(ctx, lockPause) {
			return err
		}
	}
}
