package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/jobs"
	"fledge.dev/services/platform/service"
)

const (
	// queueName and the jobs' kind are stored in the database: emails were once called letters.
	queueName   = "letters"
	parallelism = 4
	// giveUpAfter is how long an email is tried; RFC 5321, section 4.5.4.1, asks for at
	// least four days.
	giveUpAfter = 108 * time.Hour
	// maxAttempts is more than retries make in that time.
	maxAttempts = 60
	// failedRetention keeps the record of emails that were not delivered.
	failedRetention = 30 * 24 * time.Hour
	// sentRetention is how long a key of a sent email keeps a second one away.
	sentRetention = 24 * time.Hour
)

// Queue is a service's outgoing mail.
type Queue struct {
	client    *river.Client[pgx.Tx]
	worker    *worker
	templates *Templates
	failures  *prometheus.CounterVec
	heard     func(ctx context.Context, tx pgx.Tx, r Report) error // nil: nobody
	record    func(ctx context.Context, tx pgx.Tx, done Done, email Undelivered) error
}

// NewQueue prepares the queue behind pool, whose tables Migrate has made, for the emails that are built
// in or installed in Config.TemplatesDir. Call it once per runtime: it registers the metrics of mail.
func NewQueue(pool *pgxpool.Pool, cfg Config, emails BuiltIn, rt *service.Runtime) (*Queue, error) {
	templates, err := emails.Templates(cfg.TemplatesDir)
	if err != nil {
		return nil, err
	}
	address, err := questions(cfg.ReplyTo)
	if err != nil {
		return nil, err
	}
	templates.AnswerTo(address)
	transport, err := newTransport(cfg)
	if err != nil {
		return nil, err
	}
	w := &worker{
		transport: transport, breaker: &breaker{now: time.Now}, pool: pool, clock: rt.Clock, metrics: newMetrics(rt.Metrics),
		log: rt.Log.With("unit", "mail"), timeout: cfg.Timeout + recordTimeout,
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Schema:                      schema,
		Queues:                      map[string]river.QueueConfig{queueName: {MaxWorkers: parallelism}},
		Workers:                     workers,
		Middleware:                  jobs.Traced(rt.Tracer),
		Logger:                      rt.Log.With("unit", "mail", "part", "river"),
		JobTimeout:                  cfg.Timeout + recordTimeout,
		RescueStuckJobsAfter:        cfg.RescueStuckJobsAfter,
		MaxAttempts:                 maxAttempts,
		RetryPolicy:                 retries{rt.Clock},
		Test:                        jobs.Time(rt.Clock),
		CompletedJobRetentionPeriod: sentRetention,
		CancelledJobRetentionPeriod: failedRetention,
		DiscardedJobRetentionPeriod: failedRetention,
	})
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	if err := errors.Join(jobs.RegisterMetrics(rt.Metrics, pool, schema, queueName), oldestEmail(pool).Register(rt.Metrics)); err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	return &Queue{client: client, worker: w, templates: templates, failures: newTemplateFailures(rt.Metrics, templates)}, nil
}

// Ask has the worker ask, before each try, whether the email with the key is still due.
// One that is not is withdrawn: its job ends. Call it before the Unit starts.
func (q *Queue) Ask(due func(ctx context.Context, key string) (bool, error)) { q.worker.due = due }

// Tell has the worker tell, in the transaction that records it or in one before, how an email ended.
// It may tell so again; of one that was sent again and is withdrawn it tells how it ended before, the zero Outcome
// if it had not. An error has it told again later; a sent email is not sent again for it. Call it before the Unit starts.
func (q *Queue) Tell(told func(ctx context.Context, tx pgx.Tx, key string, o Outcome) error) {
	q.worker.told = told
}

// Enqueue queues an email in the caller's transaction, in the words of today. One that no
// server could take returns fault.Invalid; one whose key is queued already is
// no error and changes nothing.
func (q *Queue) Enqueue(ctx context.Context, tx pgx.Tx, e Email) error {
	return q.EnqueueFor(ctx, tx, e, time.Time{})
}

// EnqueueFor queues an email as Enqueue does, that leaves after that time; zero is at once.
func (q *Queue) EnqueueFor(ctx context.Context, tx pgx.Tx, e Email, after time.Time) error {
	m, err := q.compose(ctx, e)
	if err != nil {
		return err
	}
	return insert(ctx, q.client, tx, m, after)
}

// compose renders the email in the built-in words where the installed ones cannot take its values: they may not
// undo the caller's transaction.
func (q *Queue) compose(ctx context.Context, e Email) (Message, error) {
	m, err := q.templates.Compose(e)
	if err == nil || q.templates.builtIn == nil {
		return m, err
	}
	m, builtInErr := q.templates.builtIn.Compose(e)
	if builtInErr == nil {
		q.failures.WithLabelValues(e.Template).Inc()
		q.worker.log.ErrorContext(ctx, "an installed template failed, the email has the built-in words", "email", m, "error", err)
	}
	return m, builtInErr
}

func insert(ctx context.Context, client *river.Client[pgx.Tx], tx pgx.Tx, m Message, after time.Time) error {
	if _, err := client.InsertTx(ctx, tx, emailArgs{Key: m.Key, Message: m}, &river.InsertOpts{ScheduledAt: after}); err != nil {
		return fmt.Errorf("mail: enqueue %s: %w", m.Key, err)
	}
	return nil
}

// Erase deletes the emails to the addresses, whatever became of them, and what was reported about
// them, in the caller's transaction; case does not matter. What is reported of them late is not noted.
// One that is being delivered makes it a fault.Unavailable: try again later.
func (q *Queue) Erase(ctx context.Context, tx pgx.Tx, addresses ...string) error {
	lowered, ascii, marks := make([]string, len(addresses)), make([]string, len(addresses)), make([]uuid.UUID, len(addresses))
	for i, address := range addresses {
		lowered[i], ascii[i] = strings.ToLower(address), reported(address)
		marks[i] = erasedMark(ascii[i])
	}
	if _, err := tx.Exec(ctx, eraseReportsSQL, ascii); err != nil {
		return fmt.Errorf("mail: erase: %w", err)
	}
	if _, err := tx.Exec(ctx, markErasedSQL, marks); err != nil {
		return fmt.Errorf("mail: erase: %w", err)
	}
	// In one statement, so that no job can end between two looks.
	rows, err := tx.Query(ctx, "DELETE FROM "+schema+".river_job WHERE lower(args->'message'->>'To') = ANY ($1) RETURNING state = 'running'", lowered)
	if err != nil {
		return fmt.Errorf("mail: erase: %w", err)
	}
	running, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	if err != nil {
		return fmt.Errorf("mail: erase: %w", err)
	}
	if slices.Contains(running, true) {
		return fault.New(fault.Unavailable, "mail_running", "An email to this address is being delivered.")
	}
	return nil
}

// Unit runs the worker that delivers. Stopping lets a delivery under way finish.
func (q *Queue) Unit() service.Unit { return jobs.Unit("mail queue", q.client) }

// emailArgs is the job. The key is what makes it unique.
type emailArgs struct {
	Key     string  `json:"key" river:"unique"`
	Message Message `json:"message"`
}

// Kind is a stored name, as queueName is.
func (emailArgs) Kind() string { return "letter" }

func (emailArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueName, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// retries waits 4 s, 8 s, 16 s … for eleven attempts, and 3 hours after each
// later one.
type retries struct{ clock clock.Clock }

func (r retries) NextRetry(job *rivertype.JobRow) time.Time {
	return r.clock.Now().Add(retryAfter(job.Attempt))
}

func retryAfter(attempt int) time.Duration {
	if attempt = max(attempt, 1); attempt < 12 {
		return 2 * time.Second << attempt
	}
	return 3 * time.Hour
}

// LogValue keeps the email's words out of logs; the subject may be a customer's own.
func (m Message) LogValue() slog.Value {
	return slog.GroupValue(slog.String("key", m.Key))
}
