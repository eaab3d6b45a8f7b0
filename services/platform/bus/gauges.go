package bus

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

const (
	// pendingBound is where counting what waits ends.
	pendingBound = 100_000
	// backlogInterval is the pause between questions for a consumer's backlog.
	backlogInterval = 10 * time.Second
	// answeredAfter is longer than a session lives whose requests nobody answers.
	answeredAfter = 5 * pullHeartbeat
)

// registerOutbox has every replica tell what waits, also those that do not lead: the one that
// does may be dead.
func registerOutbox(reg prometheus.Registerer, pool *pgxpool.Pool) error {
	return errors.Join(
		register(reg, pool, "bus_outbox_age_seconds", "Age of the oldest event that is not in the stream; 0 when all are.",
			`SELECT coalesce((SELECT greatest(extract(epoch FROM now() - "time"), 0)
				FROM outbox WHERE stream_seq IS NULL AND NOT erased ORDER BY seq LIMIT 1), 0)::float8`),
		register(reg, pool, "bus_outbox_pending", "Events that are not in the stream, up to 100,000.",
			"SELECT count(*)::float8 FROM (SELECT FROM outbox WHERE stream_seq IS NULL AND NOT erased LIMIT $1) AS waiting", pendingBound))
}

// registerDeadLetters counts those of all consumers: one that this build does not have any more has left its letters behind.
func (c *Conn) registerDeadLetters(pool *pgxpool.Pool) error {
	const query = `SELECT consumer, count(event_id)::float8
		FROM (SELECT consumer, event_id FROM dead_letter UNION ALL SELECT unnest($1::text[]), NULL) AS letters GROUP BY consumer`
	return obs.ScrapeGauge{
		Name: "bus_dead_letters", Help: "Events that no retry can help, until somebody fixes the cause.", Labels: []string{"consumer"},
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			rows, _ := pool.Query(ctx, query, c.consumers) // the error comes with the rows
			return pgx.CollectRows(rows, func(row pgx.CollectableRow) (obs.Sample, error) {
				s := obs.Sample{Labels: []string{""}}
				return s, row.Scan(&s.Labels[0], &s.Value)
			})
		},
	}.Register(c.rt.Metrics)
}

// register adds a gauge of what a query finds.
func register(reg prometheus.Registerer, pool *pgxpool.Pool, name, help, query string, args ...any) error {
	return obs.ScrapeGauge{Name: name, Help: help, Look: func(ctx context.Context) ([]obs.Sample, error) {
		var found float64
		err := pool.QueryRow(ctx, query, args...).Scan(&found)
		return []obs.Sample{{Value: found}}, err
	}}.Register(reg)
}

// observe tells that the consumer runs, once the server has answered its requests for messages, and asks how far it is
// until ctx ends. An answer that does not come leaves the gauges as they are.
func (c *consumer) observe(ctx context.Context, durable jetstream.Consumer) {
	for pause := answeredAfter; service.Pause(ctx, pause); pause = backlogInterval {
		c.conn.metrics.running.WithLabelValues(c.Name).Set(1)
		asking, cancel := context.WithTimeout(ctx, ackTimeout)
		info, err := durable.Info(asking)
		cancel()
		if err == nil {
			c.conn.metrics.backlog.WithLabelValues(c.Name).Set(float64(info.NumPending) + float64(info.NumAckPending))
			c.conn.metrics.settled.WithLabelValues(c.Name).Set(float64(info.AckFloor.Stream))
			c.failures.forget(info.AckFloor.Stream)
		}
	}
}
