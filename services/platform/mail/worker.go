package mail

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

const (
	// recordTimeout bounds writing down that an email was taken.
	recordTimeout = 5 * time.Second
	// While the server cannot be used an email is tried after a quarter of its
	// age, within these bounds.
	shortestPause = 2 * time.Second
	longestPause  = time.Minute
)

// worker delivers one email at a time.
type worker struct {
	river.WorkerDefaults[emailArgs]
	transport *transport
	pool      *pgxpool.Pool
	metrics   *prometheus.CounterVec
	log       *slog.Logger
	timeout   time.Duration
	due       func(ctx context.Context, key string) (bool, error) // nil: every email is
}

func newMetrics(reg *prometheus.Registry) *prometheus.CounterVec {
	deliveries := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mail_deliveries_total", Help: "Tries to deliver an email, by result: sent, unreachable, deferred, refused, or withdrawn before it was tried."}, []string{"result"})
	for _, result := range []string{"sent", "unreachable", "deferred", "refused", "withdrawn"} {
		deliveries.WithLabelValues(result)
	}
	reg.MustRegister(deliveries)
	return deliveries
}

// Timeout makes River end a delivery that hangs.
func (w *worker) Timeout(*river.Job[emailArgs]) time.Duration { return w.timeout }

// Work sends the email and decides what becomes of the job.
func (w *worker) Work(ctx context.Context, job *river.Job[emailArgs]) error {
	m := job.Args.Message
	if w.due != nil {
		due, err := w.due(ctx, m.Key)
		if err != nil {
			w.log.WarnContext(ctx, "not known whether an email is still due, it will be sent later", "email", m, "error", err)
			return river.JobSnooze(pause(time.Since(job.CreatedAt)))
		}
		if !due {
			w.metrics.WithLabelValues("withdrawn").Inc()
			w.log.InfoContext(ctx, "email withdrawn", "email", m)
			return nil
		}
	}
	how, err := w.transport.send(ctx, m, job.CreatedAt)
	if err == nil {
		w.metrics.WithLabelValues("sent").Inc()
		w.log.InfoContext(ctx, "email sent", "email", m)
		return w.record(ctx, job)
	}
	switch how {
	case permanent:
		w.metrics.WithLabelValues("refused").Inc()
		w.log.ErrorContext(ctx, "email refused for good", "email", m, "error", err)
		return river.JobCancel(err)
	case temporary:
		w.metrics.WithLabelValues("deferred").Inc()
		return err
	default:
		w.metrics.WithLabelValues("unreachable").Inc()
		w.log.WarnContext(ctx, "mail server cannot be used, the email will be sent later", "email", m, "error", err)
		return river.JobSnooze(pause(time.Since(job.CreatedAt)))
	}
}

// pause has jitter, so that emails are not all retried at the same moment.
func pause(age time.Duration) time.Duration {
	d := min(max(age/4, shortestPause), longestPause)
	return d*3/4 + rand.N(d/2)
}

// record completes the job at once. River would do it in its own time, and the
// window for a repeated email would be that much wider.
func (w *worker) record(ctx context.Context, job *river.Job[emailArgs]) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
	if err != nil {
		// River's own completer, which retries, is told that all is well.
		w.log.WarnContext(ctx, "could not record a sent email at once", "email", job.Args.Message, "error", fmt.Errorf("mail: %w", err))
	}
	return nil
}
