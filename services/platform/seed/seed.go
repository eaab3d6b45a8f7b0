// Package seed fills a database on this machine with invented rows, to show how the
// product performs with many. It sends no email and publishes no event.
package seed

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// most is what one call adds within a minute or so.
const most = 500_000

// ErrNotLocal says that a database is not on this machine.
var ErrNotLocal = errors.New("rows are invented in a database on this machine only")

// Rows adds n rows in a transaction and returns the tables that it filled.
type Rows func(ctx context.Context, tx pgx.Tx, n int) (tables []string, err error)

// Command is a service's command "seed <number>": rows, which are called what.
func Command(what string, rows Rows) service.Command {
	return service.Command{
		Name: "seed", Arguments: "<number>",
		Summary: "invent " + what + " in a database on this machine and exit",
		Help: `
Adds as many of them, to see how lists and searches do with many. Nobody is written
to and no event tells of them. Any database that is not on this machine is refused.
Needs DATABASE_URL only, and the schema (migrate).`,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 1 {
				return service.Misuse("say how many %s", what)
			}
			n, err := strconv.Atoi(call.Args[0])
			if err != nil || n < 1 || n > most {
				return service.Misuse("the number of %s is 1 to %d", what, most)
			}
			cfg, err := service.Settings[settings](call)
			if err != nil {
				return err
			}
			start := time.Now()
			if err := Add(ctx, cfg.Database.URL.Reveal(), rows, n); err != nil {
				return err
			}
			_, err = fmt.Fprintf(call.Out, "added %d %s in %s\n", n, what, time.Since(start).Round(100*time.Millisecond))
			return err
		},
	}
}

// settings are all that the command needs.
type settings struct{ Database pg.Config }

// Validate checks them.
func (s settings) Validate() error { return s.Database.Validate() }

// Add adds n rows to the database at url, all or none. It fails with ErrNotLocal
// unless url leads to a loopback address or a socket.
func Add(ctx context.Context, url string, rows Rows, n int) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	hosts := []string{cfg.Host}
	for _, other := range cfg.Fallbacks {
		hosts = append(hosts, other.Host)
	}
	for _, host := range hosts {
		if !isLocal(host) {
			return ErrNotLocal
		}
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var filled []string
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0"); err != nil {
			return err
		}
		filled, err = rows(ctx, tx, n)
		return err
	})
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	// Without fresh statistics and a visibility map the first lists would be slow.
	for _, table := range filled {
		if _, err := conn.Exec(ctx, "VACUUM ANALYZE "+pgx.Identifier{table}.Sanitize()); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || filepath.IsAbs(host) || (err == nil && addr.IsLoopback())
}
