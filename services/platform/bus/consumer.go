package bus

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

const (
	defaultWorkers = 4
	// defaultAckWait is how long events wait that a replica had when it died. Handlers do their work in a
	// transaction, which takes milliseconds.
	defaultAckWait    = 10 * time.Second
	defaultMaxBackoff = 5 * time.Second
	// maxAckPending is how many events may wait for another try before the server holds new
	// ones back.
	maxAckPending = 20_000
	// maxTries is how often a replica tries an event whose handler fails although nothing is
	// away. With the pauses between them that is a quarter of a minute.
	maxTries = 8
	// maxLate is how many tries of an event that take too long make it a dead letter; addLate says
	// which count. While others are handled all the time, that is six minutes of pauses, and the
	// time of the tries.
	maxLate = 100
	// pullSize is how many messages wait in this process: few, because their AckWait is
	// running already.
	pullSize      = 2 * defaultWorkers
	pullExpiry    = 10 * time.Second
	pullHeartbeat = time.Second
)

// ConsumerSpec describes a durable consumer of another service's events.
type ConsumerSpec struct {
	// Name is the durable's name and the inbox's, such as "waitlist-mail".
	// Replicas that share it share the work. It must never change: a new name
	// is a new consumer that starts with the oldest message.
	Name string
	// Stream to consume, see StreamOf.
	Stream string
	// Type is the type of the events. It is one, because NATS holds a service to the
	// subjects that it has a right to, and an event that the program does not know cannot
	// be acknowledged unseen.
	Type string
	// Handle does the event's work in tx, which also holds the inbox row, and
	// must do nothing that tx cannot roll back. On makes one for a kind of payload.
	//
	// A nil error commits. An outage (fault.Unavailable, a context that has ended, or a
	// database that [pg.Fault] takes for away) has the event redelivered, with growing
	// pauses, until it succeeds. What no retry can help becomes a dead letter at once: a
	// fault of kind Invalid, an error made by Poison, a panic, and what PostgreSQL says of
	// values, constraints and the schema (SQLSTATE 22, 23, 42). Any other error is tried
	// again for about a quarter of a minute. An error that says that the time of a statement or
	// of the delivery was up counts only if another event was handled since it counted last;
	// with the hundredth the event becomes a dead letter.
	Handle func(ctx context.Context, tx pgx.Tx, ev Event) error
	// Workers is how many events are handled at the same time; default 4.
	Workers int
	// AckWait is how long an event may be worked on before it is delivered again; default 10 s.
	AckWait time.Duration

	// maxBackoff bounds the pause between tries.
	maxBackoff time.Duration
}

func (s ConsumerSpec) withDefaults() ConsumerSpec {
	if s.Workers == 0 {
		s.Workers = defaultWorkers
	}
	if s.AckWait == 0 {
		s.AckWait = defaultAckWait
	}
	if s.maxBackoff == 0 {
		s.maxBackoff = defaultMaxBackoff
	}
	return s
}

func (s ConsumerSpec) config() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       s.Name,
		FilterSubject: s.Type,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       s.AckWait,
		MaxDeliver:    -1,
		MaxAckPending: maxAckPending,
	}
}

// database is what a consumer needs of a pool.
type database interface {
	DBTX
	Begin(ctx context.Context) (pgx.Tx, error)
}

// consumer runs one spec.
type consumer struct {
	ConsumerSpec
	conn *Conn
	pool database
	log  *slog.Logger

	trouble  obs.Repeated
	failures failures
}

// Consumer handles the events of spec with the tables behind pool, which
// Migrations has created. Starting needs neither NATS nor the stream to exist.
// Stopping lets handlers that run finish and gives the rest back at once.
func (c *Conn) Consumer(pool *pgxpool.Pool, spec ConsumerSpec) service.Unit {
	log := c.rt.Log.With("consumer", spec.Name)
	k := &consumer{ConsumerSpec: spec.withDefaults(), conn: c, pool: pool, log: log, trouble: obs.Repeated{Log: log}}
	c.consumers = append(c.consumers, spec.Name)
	c.metrics.running.WithLabelValues(spec.Name)
	for _, result := range results {
		c.metrics.deliveries.WithLabelValues(spec.Name, result)
	}
	return service.Background("consumer "+spec.Name, k.run)
}

func (c *consumer) run(ctx context.Context) {
	var redriving sync.WaitGroup
	defer redriving.Wait()
	redriving.Go(func() { c.redrive(ctx) })
	for ctx.Err() == nil {
		if err := c.session(ctx); ctx.Err() == nil {
			c.trouble.Warn(ctx, "consuming interrupted, retrying", "error", err)
			service.Pause(ctx, retryPause)
		}
	}
}

// session creates the durable, which a lost stream takes with it, and handles
// messages until something is wrong with it.
func (c *consumer) session(ctx context.Context) error {
	if err := c.conn.awaitConnected(ctx); err != nil {
		return err
	}
	durable, err := c.conn.jetStream().CreateOrUpdateConsumer(ctx, c.Stream, c.config()) // within ackTimeout
	if err != nil {
		return fmt.Errorf("create consumer: %w", err)
	}
	c.failures.forget(math.MaxUint64) // a stream that was lost counts from one again
	messages, err := durable.Messages(
		jetstream.PullMaxMessages(pullSize),
		jetstream.PullExpiry(pullExpiry),
		jetstream.PullHeartbeat(pullHeartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("pull: %w", err)
	}
	defer messages.Stop()
	defer c.conn.metrics.running.WithLabelValues(c.Name).Set(0)
	// Drain still hands out what has arrived, so that it can be given back.
	stopDraining := context.AfterFunc(ctx, messages.Drain)
	defer stopDraining()

	queue := make(chan jetstream.Msg)
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() {
			for msg := range queue {
				c.deliver(ctx, msg)
			}
		})
	}
	defer workers.Wait()
	defer close(queue)
	observing, cancel := context.WithCancel(ctx)
	defer cancel()
	workers.Go(func() { c.observe(observing, durable) })
	for {
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("next message: %w", err)
		}
		queue <- msg
	}
}
