// Package store is the service's own PostgreSQL database: its schema, and the
// queries that sqlc turns into package db. The rules for its content are in
// the packages that use it.
package store

import (
	"context"
	"embed"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/pg"
)

//go:embed migrations/*.sql functions
var sql embed.FS

// Migrate brings the database at url up to date, the bus's tables included.
func Migrate(ctx context.Context, url string) error {
	return pg.Migrate(ctx, url, bus.Migrations(), pg.Migrations{Name: "billing", FS: sql})
}
