package billing

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command { return []service.Command{requeueEvents(), adjustCredits()} }

// databaseSettings are all that the commands need.
type databaseSettings struct{ Database pg.Config }

// Validate checks them.
func (s databaseSettings) Validate() error { return s.Database.Validate() }

// onDatabase runs a command that works on the database alone.
func onDatabase(ctx context.Context, call service.Call, do func(*pgxpool.Pool, pg.Config) error) error {
	cfg, err := service.Settings[databaseSettings](call)
	if err != nil {
		return err
	}
	pool, err := pg.Open(ctx, cfg.Database, call.Runtime)
	if err != nil {
		return err
	}
	defer pool.Close()
	return do(pool, cfg.Database)
}
