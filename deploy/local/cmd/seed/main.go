// Command seed adds invented rows to a database on this machine, to show how lists and
// searches do with many. Nobody is written to, and no event tells of them.
//
//	DATABASE_URL_FILE=… seed <rows> services/<service>/internal/store/testdata/seed.sql
package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// most is what one call adds within a minute or so.
const most = 500_000

var (
	errUsage    = errors.New("usage: DATABASE_URL_FILE=… seed <number of rows, at most 500000> <file of SQL>")
	errNotLocal = errors.New("rows are invented in a database on this machine only")
)

func main() {
	began := time.Now()
	if err := run(context.Background(), os.Getenv("DATABASE_URL_FILE"), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
	fmt.Printf("added %s rows in %s\n", os.Args[1], time.Since(began).Round(100*time.Millisecond))
}

func run(ctx context.Context, urlFile string, args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	rows, err := strconv.Atoi(args[0])
	if err != nil || rows < 1 || rows > most {
		return errUsage
	}
	url, err := os.ReadFile(urlFile)
	if err != nil {
		return err
	}
	sql, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	return add(ctx, strings.TrimSpace(string(url)), string(sql), rows)
}

// add runs the statements, all or none, with as many rows in the setting seed.rows. It
// fails with errNotLocal unless url leads to a loopback address or a socket.
func add(ctx context.Context, url, sql string, rows int) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	hosts := []string{cfg.Host}
	for _, other := range cfg.Fallbacks {
		hosts = append(hosts, other.Host)
	}
	for _, host := range hosts {
		if !isLocal(host) {
			return errNotLocal
		}
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = 0; SET LOCAL seed.rows = %d; %s", rows, sql))
		return err
	})
	if err != nil {
		return err
	}
	// Without fresh statistics and a visibility map the first lists would be slow.
	if _, err = conn.Exec(ctx, "SET statement_timeout = 0"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || filepath.IsAbs(host) || (err == nil && addr.IsLoopback())
}
