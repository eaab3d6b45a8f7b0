package bus

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/service"
)

const (
	defaultWorkers    = 4
	defaultMaxBackoff = 5 * time.Second
	maxAckPending     = 256
	// pullSize is how many messages wait in this process whose events are handled one by one: few,
	// because their AckWait is running already and each may be a bundle.
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
	// Subjects are event types; "*" stands for one part and ">" for the rest.
	Subjects []string
	// Handle does the event's work in tx, which also holds the inbox row, and
	// must do nothing that tx cannot roll back. See Dispatch for typed handlers.
	//
	// A nil error commits. ErrIgnored skips the event. An error of kind
	// fault.Invalid, one made by Poison, and a panic put it into dead_letter at
	// once. Any other error is taken for an outage: the event is redelivered, with
	// growing pauses, until it succeeds.
	Handle func(ctx context.Context, tx pgx.Tx, ev Event) error
	// HandleAll, if given, takes the place of Handle where many events come at once:
	// those that have arrived share a transaction, about 500 at most, as if each had been
	// handled by itself. If it fails, each is: Handle then is HandleAll of one. For
	// effects that add up, as counters do.
	HandleAll func(ctx context.Context, tx pgx.Tx, events []Event) error
	// Workers is how many events are handled at the same time; default 4, and 1 with
	// HandleAll.
	Workers int
	// AckWait overrides the connection's setting.
	AckWait time.Duration
	// MaxBackoff bounds the pause between tries; default 5 s.
	MaxBackoff time.Duration
}

func (s ConsumerSpec) withDefaults(cfg Config) ConsumerSpec {
	if s.HandleAll != nil {
		s.Handle = func(ctx context.Context, tx pgx.Tx, ev Event) error { return s.HandleAll(ctx, tx, []Event{ev}) }
	}
	switch {
	case s.Workers != 0:
	case s.HandleAll != nil:
		s.Workers = 1
	default:
		s.Workers = defaultWorkers
	}
	if s.AckWait == 0 {
		s.AckWait = cfg.AckWait
	}
	if s.MaxBackoff == 0 {
		s.MaxBackoff = defaultMaxBackoff
	}
	return s
}

// ahead is how many messages wait in this process.
func (s ConsumerSpec) ahead() int {
	if s.HandleAll != nil {
		return sharedMessages
	}
	return pullSize
}

func (s ConsumerSpec) config() jetstream.ConsumerConfig {
	cfg := jetstream.ConsumerConfig{
		Durable:        s.Name,
		FilterSubjects: s.Subjects,
		DeliverPolicy:  jetstream.DeliverAllPolicy,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        s.AckWait,
		MaxDeliver:     -1,
		MaxAckPending:  maxAckPending,
	}
	// A single subject is part of the request's own, so that NATS can hold the service
	// to it: see Rights.
	if len(s.Subjects) == 1 {
		cfg.FilterSubject, cfg.FilterSubjects = s.Subjects[0], nil
	}
	return cfg
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

	trouble outage
}

// Consumer handles the events of spec with the tables behind pool, which
// Migrations has created. Starting needs neither NATS nor the stream to exist.
// Stopping lets handlers that run finish and gives the rest back at once.
func (c *Conn) Consumer(pool *pgxpool.Pool, spec ConsumerSpec) service.Unit {
	log := c.rt.Log.With("consumer", spec.Name)
	k := &consumer{ConsumerSpec: spec.withDefaults(c.cfg), conn: c, pool: pool, log: log, trouble: outage{log: log}}
	if err := registerDeadLetters(c.rt.Metrics, pool, spec.Name); err != nil {
		c.rt.Fail(err)
	}
	for _, result := range results {
		c.metrics.deliveries.WithLabelValues(spec.Name, result)
	}
	return c.background("consumer "+spec.Name, k.run)
}

func (c *consumer) run(ctx context.Context) {
	var upkeep sync.WaitGroup
	defer upkeep.Wait()
	upkeep.Go(func() { c.maintain(ctx) })
	for ctx.Err() == nil {
		if err := c.session(ctx); ctx.Err() == nil {
			c.trouble.report("consuming interrupted", err)
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
	durable, err := persist(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		return c.conn.jetStream().CreateOrUpdateConsumer(ctx, c.Stream, c.config())
	})
	if err != nil {
		return fmt.Errorf("create consumer: %w", err)
	}
	messages, err := durable.Messages(
		jetstream.PullMaxMessages(c.ahead()),
		jetstream.PullExpiry(pullExpiry),
		jetstream.PullHeartbeat(pullHeartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("pull: %w", err)
	}
	defer messages.Stop()
	// Drain still hands out what has arrived, so that it can be given back.
	stopDraining := context.AfterFunc(ctx, messages.Drain)
	defer stopDraining()

	buffered := 0
	if c.HandleAll != nil {
		buffered = sharedMessages
	}
	queue := make(chan delivery, buffered)
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() {
			for d := range queue {
				if c.HandleAll == nil {
					c.deliver(ctx, d)
					continue
				}
				began := time.Now()
				all, full := collect(d, queue)
				c.deliverAll(ctx, all)
				if !full {
					service.Pause(ctx, spacing-time.Since(began))
				}
			}
		})
	}
	defer workers.Wait()
	defer close(queue)
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	workers.Go(func() { c.watchBacklog(watching, durable) })
	for {
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("next message: %w", err)
		}
		queue <- received(msg)
	}
}
