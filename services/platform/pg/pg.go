// Package pg opens a service's own database and runs its migrations.
package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/service"
)

// Config says where the database is and how hard it may be used.
type Config struct {
	// URL is a libpq connection URL. TLS is chosen in it: sslmode=verify-full and
	// sslrootcert in production, sslcert and sslkey where the server asks for them. The
	// files are read again for each connection. With target_session_attrs=read-write, a
	// server that takes no writes counts as one that is away, and the next host is tried. A
	// connection is given up after two seconds, or connect_timeout.
	URL config.Secret `env:"DATABASE_URL"`
	// MaxConns bounds the pool; at least 2.
	MaxConns int32 `env:"DATABASE_MAX_CONNS" envDefault:"10"`
	// StatementTimeout ends a statement on the server.
	StatementTimeout time.Duration `env:"DATABASE_STATEMENT_TIMEOUT" envDefault:"2s"`
	// Deadline bounds one interactive use of the database, the wait for a
	// connection included, see Interactive.
	Deadline time.Duration `env:"DATABASE_DEADLINE" envDefault:"800ms"`
	// MigrateOnStart brings the schema up to date before serving. Switch it off
	// where a job of its own does that.
	MigrateOnStart bool `env:"MIGRATE_ON_START" envDefault:"true"`
}

// Validate checks that the database is named and the bounds are positive.
func (c Config) Validate() error {
	var errs []error
	if _, err := pgxpool.ParseConfig(c.URL.Reveal()); err != nil || c.URL == "" {
		errs = append(errs, errors.New("DATABASE_URL: not a connection URL"))
	}
	if c.MaxConns < 2 {
		errs = append(errs, errors.New("DATABASE_MAX_CONNS must be at least 2: an erasure needs as many"))
	}
	if c.StatementTimeout <= 0 || c.Deadline <= 0 {
		errs = append(errs, errors.New("DATABASE_STATEMENT_TIMEOUT and DATABASE_DEADLINE must be positive"))
	}
	return errors.Join(errs...)
}

// Interactive bounds ctx to what a waiting person should bear.
func (c Config) Interactive(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.Deadline)
}

// Open returns a pool that connects on first use, in whose transactions nobody may be silent for
// longer than [LockTimeout], and registers its metrics and its
// health check with rt, whose clock tells the server's time from then on. It does not wait
// for the server: the process becomes ready once the server has answered, and stays ready
// when it is away later.
func Open(ctx context.Context, cfg Config, rt *service.Runtime) (*pgxpool.Pool, error) {
	poolCfg, err := pgxpool.ParseConfig(cfg.URL.Reveal())
	if err != nil {
		return nil, fmt.Errorf("pg: %w", err)
	}
	poolCfg.MaxConns = cfg.MaxConns
	poolCfg.MaxConnLifetime = 30 * time.Minute
	poolCfg.MaxConnLifetimeJitter = 5 * time.Minute
	if !strings.Contains(cfg.URL.Reveal(), "connect_timeout=") {
		poolCfg.ConnConfig.ConnectTimeout = 2 * time.Second
	}
	poolCfg.ConnConfig.RuntimeParams["statement_timeout"] = fmt.Sprint(cfg.StatementTimeout.Milliseconds())
	endSilent(poolCfg.ConnConfig, transactionSettings)
	poolCfg.ConnConfig.BuildContextWatcherHandler = cancelLate
	poolCfg.ConnConfig.RuntimeParams["application_name"] = rt.Name
	// What the server itself writes of times, such as in JSON, is UTC like all of ours.
	poolCfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	poolCfg.BeforeConnect = freshTLS(cfg.URL, rt)
	poolCfg.AfterConnect = encodeUUIDs
	server := &serverClock{machine: rt.Clock}
	poolCfg.PrepareConn = server.follow
	rt.Clock = server
	drop := &dropper{otherwise: poolCfg.ConnConfig.OnPgError}
	poolCfg.ConnConfig.OnPgError = drop.keep
	// The pool's background work must not end with the caller's start deadline.
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), poolCfg)
	if err != nil {
		return nil, fmt.Errorf("pg: %w", err)
	}
	drop.watch(pool)
	rt.Health.GateStart("database", pool.Ping)
	return pool, registerMetrics(rt.Metrics, pool)
}

// cancelLate keeps the connection of a statement whose deadline has passed: the statement may end by itself, and is
// canceled then. To close the connection instead, as pgx does, makes a slow server slower: each new one takes it a
// process, a TLS handshake and its caches, until it does nothing else. A server that does not answer at
// all costs the connection.
func cancelLate(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{
		Conn:               conn,
		CancelRequestDelay: 200 * time.Millisecond,
		DeadlineDelay:      time.Second,
	}
}

// freshTLS reads the certificates again for each connection. If they cannot be used, it
// logs that and keeps the last good ones.
func freshTLS(url config.Secret, rt *service.Runtime) func(context.Context, *pgx.ConnConfig) error {
	var last atomic.Pointer[pgx.ConnConfig]
	return func(ctx context.Context, conn *pgx.ConnConfig) error {
		if conn.TLSConfig == nil {
			return nil
		}
		if now, err := pgx.ParseConfig(url.Reveal()); err == nil {
			last.Store(now)
		} else {
			rt.Log.ErrorContext(ctx, "certificates for the database cannot be used, the last good ones stay", "error", err)
		}
		if good := last.Load(); good != nil {
			conn.TLSConfig, conn.Fallbacks = good.TLSConfig, good.Fallbacks
		}
		return nil
	}
}

// Fault turns a database error into what the caller may know. notFound is
// returned for "no rows"; pass nil where that cannot happen. A server that is
// gone, full, too slow or not writable is Unavailable; a fault passes unchanged; any other
// error is Internal, also one that a transaction's function returned.
func Fault(err error, notFound *fault.Error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) && notFound != nil {
		return notFound
	}
	if !IsAway(err) {
		return fault.Of(err)
	}
	return fault.New(fault.Unavailable, "database_unavailable", "This part of the service is not available right now. Please try again.").
		RetryAfter(time.Second).Wrap(err)
}

// IsAway reports whether err is about a server, of a database or another, or the way to it. Whatever the reason why
// the server refused a connection, no statement was at fault: a password may be about to
// change, a database about to be restored.
func IsAway(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return true
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isOutage(pgErr.Code)
	}
	if _, network := errors.AsType[net.Error](err); network || pgconn.SafeToRetry(err) {
		return true
	}
	for _, away := range []error{context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, away) {
			return true
		}
	}
	text := err.Error() // pgxpool has no types for these
	return strings.Contains(text, "closed pool") || strings.Contains(text, "pgxpool: too many failed attempts")
}
