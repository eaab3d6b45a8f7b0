package bus

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

const (
	// lookInterval is the pause between looks for new events. An event waits half of it on
	// average.
	lookInterval = 50 * time.Millisecond
	// retryPause follows a failure, and a lock that another replica holds.
	retryPause = time.Second
	// stepTimeout bounds a step in which everything is slow.
	stepTimeout = time.Minute
	// closeTimeout bounds the closing of a session whose database may be gone.
	closeTimeout = time.Second
)

var errDisconnected = errors.New("the connection to NATS was lost")

// relay moves one service's outbox to its stream.
type relay struct {
	conn *Conn
	pool *pgxpool.Pool
	log  *slog.Logger

	trouble obs.Repeated
}

// Relay publishes the outbox behind pool to the service's stream, which it creates and
// keeps in shape. Of many replicas one does so at a time, and another takes over when it
// fails: at once, or within a minute when it dies without a word. Starting needs neither
// NATS nor PostgreSQL.
func (c *Conn) Relay(pool *pgxpool.Pool) service.Unit {
	log := c.rt.Log.With("unit", "outbox relay", "stream", c.stream)
	r := &relay{conn: c, pool: pool, log: log, trouble: obs.Repeated{Log: log}}
	if err := errors.Join(registerOutbox(c.rt.Metrics, pool), c.registerDeadLetters(pool)); err != nil {
		c.rt.Fail(err)
	}
	return service.Background("outbox relay", r.run)
}

// run leads, or waits to lead, until ctx ends.
func (r *relay) run(ctx context.Context) {
	for {
		if err := r.lead(ctx); err != nil && ctx.Err() == nil {
			r.trouble.Warn(ctx, "publishing events fails, retrying", "error", err)
		}
		if !service.Pause(ctx, retryPause) {
			return
		}
	}
}

// lead publishes until anything fails, or returns at once when another replica leads. Events are
// marked over the connection that has the lock, so that a relay that has lost the lock
// cannot mark anything. Without NATS it gives the lock up: another replica may have it.
func (r *relay) lead(ctx context.Context) error {
	if err := r.conn.awaitConnected(ctx); err != nil {
		return err
	}
	db, err := pg.TryLock(ctx, r.pool, "fledge outbox relay "+r.conn.stream)
	if db == nil {
		return err
	}
	defer closeNow(ctx, db)
	r.log.Debug("leading")
	forward := newForwarder(&table{db: db, stream: r.conn.stream}, &jetStream{conn: r.conn}, r.conn.metrics, r.log)
	for {
		began := time.Now()
		found, err := forward.step(ctx)
		switch {
		case err != nil:
			return err
		case !r.conn.connected():
			return errDisconnected
		case found < batchSize && !service.Pause(ctx, lookInterval-time.Since(began)):
			return nil
		}
	}
}

// closeNow ends a session and with it its lock.
func closeNow(ctx context.Context, db *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = db.Close(ctx)
}
