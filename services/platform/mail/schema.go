package mail

import (
	"context"
	"embed"

	"fledge.dev/services/platform/jobs"
	"fledge.dev/services/platform/pg"
)

// schema holds River's tables for emails, and our own.
const schema = "mail"

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the queue's tables or brings them up to date. A service calls
// it after pg.Migrate.
func Migrate(ctx context.Context, url string) error {
	if err := jobs.Migrate(ctx, url, schema); err != nil {
		return err
	}
	return pg.Migrate(ctx, url, pg.Migrations{Name: schema, FS: migrations})
}
