package bus

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/service"
)

const (
	// pollInterval bounds how long an event waits when its notification is lost.
	pollInterval = time.Second
	// cleanInterval is the pause between deletions of old rows.
	cleanInterval = time.Minute
	// spacing is the minimum time between two steps of the relay, and between two
	// transactions of many events, which cost much the same for one event as for many. An
	// event that comes later than this after the previous one does not wait; in a burst an
	// event waits this long at most.
	spacing = 100 * time.Millisecond
	// retryPause follows a failed step.
	retryPause = time.Second
	// byNumber has rows of the outbox found by their numbers. A table that grows by thousands
	// of rows a second is larger than the planner was told: it would read all of it, each time.
	byNumber = "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; "
	// lookTimeout bounds a question to a database that may be gone without a word.
	lookTimeout = 5 * time.Second
)

// relay moves one service's outbox to its stream.
type relay struct {
	conn *Conn
	pool *pgxpool.Pool
	log  *slog.Logger

	trouble outage
}

// Relay publishes the outbox behind pool to the service's stream, which it
// creates and keeps in shape. Of many replicas one does so at a time; the others
// stand by and take over within seconds. Starting needs neither NATS nor Postgres.
func (c *Conn) Relay(pool *pgxpool.Pool) service.Unit {
	log := c.rt.Log.With("unit", "outbox relay", "stream", c.stream)
	r := &relay{conn: c, pool: pool, log: log, trouble: outage{log: log}}
	if err := registerPending(c.rt.Metrics, pool); err != nil {
		c.rt.Fail(err)
	}
	return c.background("outbox relay", r.run)
}

// run leads, or waits to lead, until ctx ends.
func (r *relay) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.term(ctx); ctx.Err() == nil {
			r.trouble.report("relay interrupted", err)
			service.Pause(ctx, retryPause)
		}
	}
}

// term connects to Postgres, waits for the leadership, and leads until
// something fails. The lock lives and dies with the connection, and rows are
// marked over the same connection, so a relay that has lost the lock cannot
// mark anything.
func (r *relay) term(ctx context.Context) error {
	db, err := pgx.ConnectConfig(ctx, r.pool.Config().ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = db.Close(closing)
	}()
	if err := r.awaitLeadership(ctx, db); err != nil {
		return err
	}
	if err := inTime(ctx, func(ctx context.Context) error { _, err := db.Exec(ctx, byNumber); return err }); err != nil {
		return fmt.Errorf("prepare the connection: %w", err)
	}
	r.log.Debug("leading")
	defer r.conn.metrics.outboxAge.Set(0)
	return r.lead(ctx, db)
}

func (r *relay) awaitLeadership(ctx context.Context, db *pgx.Conn) error {
	for {
		var mine bool
		err := inTime(ctx, func(ctx context.Context) error {
			return db.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtextextended('fledge outbox relay ' || $1, 0))", r.conn.stream).Scan(&mine)
		})
		if err != nil {
			return fmt.Errorf("take the lock: %w", err)
		}
		if mine {
			return nil
		}
		if !service.Pause(ctx, pollInterval) {
			return ctx.Err()
		}
	}
}

func inTime(ctx context.Context, look func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return look(ctx)
}

// lead returns when Postgres fails. A failing NATS only makes it wait.
func (r *relay) lead(ctx context.Context, db *pgx.Conn) error {
	outbox := &table{db: db, stream: r.conn.stream}
	forward := &forwarder{outbox: outbox, stream: &jetStream{conn: r.conn}, metrics: r.conn.metrics, log: r.log}
	appended := &listener{db: db}
	var reconciled, cleaned time.Time
	for {
		err := inTime(ctx, func(ctx context.Context) error {
			age, err := outbox.age(ctx)
			r.conn.metrics.outboxAge.Set(age)
			return err
		})
		if err != nil {
			return err
		}
		if time.Since(cleaned) >= cleanInterval {
			if err := inTime(ctx, outbox.clean); err != nil {
				return err
			}
			cleaned = time.Now()
		}
		if !r.conn.connected() {
			reconciled = time.Time{}
			if !service.Pause(ctx, pollInterval) {
				return ctx.Err()
			}
			continue
		}
		began := time.Now()
		found, err := forward.step(ctx, &reconciled)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case db.IsClosed():
			return err
		case err != nil:
			r.trouble.report("publishing fails", err)
			reconciled = time.Time{}
			service.Pause(ctx, retryPause)
		case found < batchSize:
			service.Pause(ctx, spacing-time.Since(began))
			if err := appended.await(ctx, found); err != nil {
				return err
			}
		}
	}
}
