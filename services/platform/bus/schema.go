package bus

import (
	"embed"
	"io/fs"

	"fledge.dev/services/platform/pg"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations creates the outbox, inbox and dead_letter tables. A service that
// publishes or consumes passes it to pg.Migrate before its own set.
func Migrations() pg.Migrations {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the name above is a constant that embed has checked
	}
	return pg.Migrations{Name: "bus", FS: files}
}
