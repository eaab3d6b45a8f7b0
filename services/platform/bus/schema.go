package bus

import (
	"embed"

	"fledge.dev/services/platform/pg"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations creates the outbox, inbox and dead_letter tables. A service that
// publishes or consumes passes it to pg.Migrate before its own set.
func Migrations() pg.Migrations {
	return pg.Migrations{Name: "bus", FS: migrations}
}
