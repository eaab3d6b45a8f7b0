// Package store keeps people, their roles, session families and keys in the
// service's own PostgreSQL database. Errors are faults: NotFound where a method
// says so, Unavailable when the database cannot answer.
package store

import (
	"context"
	"embed"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/bus"
	platform "fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the database at url up to date.
func Migrate(ctx context.Context, url string) error {
	if err := pg.Migrate(ctx, url, bus.Migrations(), pg.Migrations{Name: "identity", FS: migrations}); err != nil {
		return err
	}
	return mail.Migrate(ctx, url)
}

// Store implements the storage that the service's parts ask for.
type Store struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	admins   account.Admins
	deadline time.Duration
	events   *platform.OutboxEraser
	// asking has a place for each transaction that may hold its connection while Kratos is asked.
	asking chan struct{}

	emails     Emails
	siteOrigin string
}

// New returns a store. admins become admins at a sign-in, once; deadline bounds
// every method.
func New(pool *pgxpool.Pool, admins account.Admins, deadline time.Duration) *Store {
	return &Store{
		pool: pool, q: db.New(), admins: admins, deadline: deadline, events: platform.NewOutboxEraser(pool),
		asking: make(chan struct{}, max(1, pool.Config().MaxConns/4)),
	}
}

// inTx runs fn in a transaction within the deadline and makes faults of errors.
func (s *Store) inTx(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	return pg.Fault(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return fn(ctx, tx) }), nil)
}
