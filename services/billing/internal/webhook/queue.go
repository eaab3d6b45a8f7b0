package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/jobs"
	"fledge.dev/services/platform/service"
)

const (
	// schema holds River's tables.
	schema      = "jobs"
	queueName   = "stripe_events"
	parallelism = 4
	// A job reads from Stripe a few times; each read has a budget of its own.
	jobTimeout = time.Minute
	// A job whose process was killed is taken up again after this long.
	rescueAfter = jobTimeout + 5*time.Second
	// maxAttempts with retries goes on for about three days, as Stripe does.
	maxAttempts = 440
	longestWait = 10 * time.Minute
	// keepJobs is how long River keeps the jobs of finished events, for inspection; the
	// event's own row stays.
	keepJobs = 24 * time.Hour
)

// Queue is the jobs that apply events.
type Queue struct {
	client  *river.Client[pgx.Tx]
	metrics *metrics
}

// NewQueue returns a queue that can be inserted into but does not work.
func NewQueue(pool *pgxpool.Pool, reg prometheus.Registerer, log *slog.Logger) (*Queue, error) {
	return newQueue(pool, reg, &river.Config{Schema: schema, Logger: log, MaxAttempts: maxAttempts})
}

// NewWorkingQueue returns a queue whose Unit applies events.
func NewWorkingQueue(pool *pgxpool.Pool, api Stripe, subscriptions Subscriptions, rt *service.Runtime) (*Queue, error) {
	log := rt.Log.With("part", "webhook")
	w := &worker{pool: pool, stripe: api, subscriptions: subscriptions, clock: rt.Clock, log: log}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	q, err := newQueue(pool, rt.Metrics, &river.Config{
		Schema: schema, Logger: rt.Log.With("part", "river"), Workers: workers, Middleware: jobs.Traced(rt.Tracer),
		Queues:     map[string]river.QueueConfig{queueName: {MaxWorkers: parallelism}},
		JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter,
		MaxAttempts: maxAttempts, RetryPolicy: retries{rt.Clock}, Test: jobs.Time(rt.Clock), CompletedJobRetentionPeriod: keepJobs,
	})
	if err != nil {
		return nil, err
	}
	w.metrics = q.metrics
	return q, jobs.RegisterMetrics(rt.Metrics, pool, schema, queueName)
}

func newQueue(pool *pgxpool.Pool, reg prometheus.Registerer, cfg *river.Config) (*Queue, error) {
	m, err := newMetrics(reg)
	if err != nil {
		return nil, err
	}
	client, err := river.NewClient(riverpgxv5.New(pool), cfg)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	return &Queue{client: client, metrics: m}, nil
}

func (q *Queue) insert(ctx context.Context, tx pgx.Tx, event string) error {
	if _, err := q.client.InsertTx(ctx, tx, eventArgs{ID: event}, nil); err != nil {
		return fmt.Errorf("webhook: enqueue %s: %w", event, err)
	}
	return nil
}

// Unit applies events until stopped. Stopping lets one under way finish.
func (q *Queue) Unit() service.Unit { return jobs.Unit("Stripe's events", q.client) }

// eventArgs is the job.
type eventArgs struct {
	ID string `json:"id"`
}

func (eventArgs) Kind() string { return "stripe_event" }

func (eventArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: queueName} }

// retries waits 1 s, 2 s, 4 s … up to 10 minutes.
type retries struct{ clock clock.Clock }

func (r retries) NextRetry(job *rivertype.JobRow) time.Time {
	wait := longestWait
	if attempt := max(job.Attempt, 1); attempt < 11 {
		wait = min(time.Second<<(attempt-1), longestWait)
	}
	return r.clock.Now().Add(wait)
}
