// Package seed fills a local database with tickets, to see how the product does
// with many.
package seed

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

//go:embed seed.sql
var insert string

// perPerson is how many tickets each invented customer has opened.
const perPerson = 20

// ErrNotLocal says that a database is not on this machine.
var ErrNotLocal = errors.New("tickets are invented in a database on this machine only")

// Tickets adds n tickets with their answers and histories. Nobody is written to,
// and no event tells of them. It fails with ErrNotLocal unless url leads to a
// loopback address or a socket.
func Tickets(ctx context.Context, url string, n int) error {
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
	defer func() { _ = conn.Close(ctx) }()
	if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return add(ctx, tx, n) }); err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	// Without fresh statistics and a visibility map the first lists would be slow.
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE tickets, ticket_messages, ticket_changes"); err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	return nil
}

// add builds the index of searches anew: row by row it takes ten times as long.
func add(ctx context.Context, tx pgx.Tx, n int) error {
	for _, setting := range []string{"SET LOCAL statement_timeout = 0", "SET LOCAL maintenance_work_mem = '256MB'"} {
		if _, err := tx.Exec(ctx, setting); err != nil {
			return err
		}
	}
	var index string
	err := tx.QueryRow(ctx, "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'tickets_search_trgm'").Scan(&index)
	if errors.Is(err, pgx.ErrNoRows) { // pg_trgm is not to be had here
		_, err := tx.Exec(ctx, insert, n, max(1, n/perPerson))
		return err
	}
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DROP INDEX tickets_search_trgm"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, insert, n, max(1, n/perPerson)); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, index)
	return err
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || filepath.IsAbs(host) || (err == nil && addr.IsLoopback())
}
