package pg

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/service"
)

// commandSettings are all that a command on the database alone needs.
type commandSettings struct{ Database Config }

// Validate implements config.Validator.
func (s commandSettings) Validate() error { return s.Database.Validate() }

// OnDatabase runs a command that works on the service's database alone: DATABASE_URL is all
// that it needs.
func OnDatabase(ctx context.Context, call service.Call, do func(*pgxpool.Pool, Config) error) error {
	cfg, err := service.Settings[commandSettings](call)
	if err != nil {
		return err
	}
	pool, err := Open(ctx, cfg.Database, call.Runtime)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := pool.Ping(ctx); err != nil { // from here on the clock is the server's
		return Fault(err, nil)
	}
	return do(pool, cfg.Database)
}
