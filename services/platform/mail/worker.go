package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

const (
	// recordTimeout bounds writing down what became of an email.
	recordTimeout = 5 * time.Second
	// recordPause is how long after that failed it is tried again while the database is away.
	recordPause = time.Second
)

// worker delivers one email at a time.
type worker struct {
	river.WorkerDefaults[emailArgs]
	transport *transport
	breaker   *breaker
	pool      *pgxpool.Pool
	clock     clock.Clock
	metrics   *prometheus.CounterVec
	log       *slog.Logger
	timeout   time.Duration
	due       func(ctx context.Context, key string) (bool, error) // nil: every email is
	told      func(ctx context.Context, tx pgx.Tx, key string, o Outcome) error
}

// age is how long ago the email was queued.
func (w *worker) age(job *river.Job[emailArgs]) time.Duration {
	return w.clock.Now().Sub(job.CreatedAt)
}

// Timeout makes River end a delivery that hangs.
func (w *worker) Timeout(*river.Job[emailArgs]) time.Duration { return w.timeout }

// Work sends the email and decides what becomes of the job.
func (w *worker) Work(ctx context.Context, job *river.Job[emailArgs]) error {
	m := job.Args.Message
	if isSent(job) {
		return w.record(ctx, job)
	}
	if w.due != nil && !strings.HasPrefix(m.Key, testPrefix) {
		due, err := w.due(ctx, m.Key)
		if err != nil {
			w.log.WarnContext(ctx, "not known whether an email is still due, it will be sent later", "email", m, "error", err)
			return river.JobSnooze(ownPause(w.age(job)))
		}
		if !due {
			return w.withdraw(ctx, job)
		}
	}
	why, isSuppressed, err := w.suppressed(ctx, m)
	if err != nil {
		w.log.WarnContext(ctx, "not known whether an email may be sent, it will be sent later", "email", m, "error", err)
		return river.JobSnooze(ownPause(w.age(job)))
	}
	if isSuppressed {
		return w.suppress(ctx, job, why)
	}
	if wait, ok := w.breaker.enter(); !ok {
		if w.age(job) > giveUpAfter {
			return w.giveUp(ctx, job, Outcome{Reply: "No email could be sent."}, errors.New("mail: no email can be sent"))
		}
		return river.JobSnooze(wait)
	}
	isBlocked := true
	defer func() { w.breaker.leave(isBlocked) }()
	failure := w.transport.send(ctx, m, job.CreatedAt)
	w.breaker.record(m.To, failure)
	if isBlocked = failure != nil && failure.verdict == blocked; failure == nil {
		w.metrics.WithLabelValues("sent").Inc()
		w.log.InfoContext(ctx, "email sent", "email", m)
		return w.record(ctx, job)
	}
	return w.failed(ctx, job, failure)
}

// withdraw ends an email that is no longer due. Of one that was sent again it tells what had become of it before:
// it was told to wait.
func (w *worker) withdraw(ctx context.Context, job *river.Job[emailArgs]) error {
	m := job.Args.Message
	var resent struct{ Before *Outcome }
	if err := json.Unmarshal(job.Metadata, &resent); err != nil {
		return fmt.Errorf("mail: metadata of %s: %w", m.Key, err)
	}
	if before := resent.Before; before != nil {
		if before.State == Waiting {
			before.State = ""
		}
		if err := w.tell(ctx, job.Args.Key, *before); err != nil {
			w.log.WarnContext(ctx, "could not record an email that is withdrawn, it will be tried again", "email", m, "error", err)
			return river.JobSnooze(ownPause(w.age(job)))
		}
	}
	w.metrics.WithLabelValues("withdrawn").Inc()
	w.log.InfoContext(ctx, "email withdrawn", "email", m)
	return river.RecordOutput(ctx, Outcome{State: withdrawn})
}

// suppress ends an email that may not go to its address.
func (w *worker) suppress(ctx context.Context, job *river.Job[emailArgs], why Outcome) error {
	m := job.Args.Message
	w.metrics.WithLabelValues("suppressed").Inc()
	w.log.WarnContext(ctx, "email not sent for what the provider has reported", "email", m, "state", why.State)
	return w.end(ctx, job, why, fmt.Errorf("mail: %s was reported of its address", why.State))
}

func (w *worker) giveUp(ctx context.Context, job *river.Job[emailArgs], o Outcome, why error) error {
	w.metrics.WithLabelValues("given_up").Inc()
	w.log.ErrorContext(ctx, "email given up", "email", job.Args.Message, "error", why)
	o.State = GivenUp
	return w.end(ctx, job, o, why)
}

// end has an email end without having been sent.
func (w *worker) end(ctx context.Context, job *river.Job[emailArgs], o Outcome, why error) error {
	if err := river.RecordOutput(ctx, o); err != nil {
		return err
	}
	if err := w.tell(ctx, job.Args.Key, o); err != nil {
		w.log.WarnContext(ctx, "could not record an email that was not delivered, it will be tried again", "email", job.Args.Message, "error", err)
		return river.JobSnooze(ownPause(w.age(job)))
	}
	return river.JobCancel(why)
}

// failed decides about an email that was not taken.
func (w *worker) failed(ctx context.Context, job *river.Job[emailArgs], why *failure) error {
	m, age := job.Args.Message, w.age(job)
	outcome := Outcome{Reply: why.reply(), At: string(why.phase)}
	switch {
	case why.verdict == bounced:
		outcome.State = Bounced
	case age > giveUpAfter:
		outcome.State = GivenUp
	default:
		outcome.State = Waiting
	}
	if outcome.State == Waiting {
		if err := river.RecordOutput(ctx, outcome); err != nil {
			return err
		}
	}
	switch {
	case outcome.State == Bounced:
		w.metrics.WithLabelValues("bounced").Inc()
		w.log.WarnContext(ctx, "email bounced", "email", m, "error", why)
	case outcome.State == GivenUp:
		return w.giveUp(ctx, job, outcome, why)
	case why.verdict == deferred:
		w.metrics.WithLabelValues("deferred").Inc()
		return why
	default:
		w.metrics.WithLabelValues("blocked").Inc()
		w.log.WarnContext(ctx, "no email can be sent now, all wait", "email", m, "error", why)
		return river.JobSnooze(ownPause(age))
	}
	return w.end(ctx, job, outcome, why)
}

// tell says in a transaction of its own what became of an email.
func (w *worker) tell(ctx context.Context, key string, o Outcome) error {
	if w.told == nil {
		return nil
	}
	return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error { return w.told(ctx, tx, key, o) })
}

// ownPause is how long an email waits that was blocked, whatever becomes of others meanwhile: a
// quarter of its age, so that one email that is the reason itself cannot hold up the rest for long.
func ownPause(age time.Duration) time.Duration {
	d := min(max(age/4, shortestPause), longestPause)
	return d*3/4 + rand.N(d/2)
}

// record completes the job at once. River would do it in its own time, and the window for a repeated email would be that
// much wider; while the database is away it would give up within seconds, and have the email sent again. What cannot be
// recorded in the job's time is put off: the next try records it, and sends nothing.
func (w *worker) record(ctx context.Context, job *river.Job[emailArgs]) error {
	err := w.recordOnce(ctx, job)
	for err != nil && pg.IsAway(err) && service.Pause(ctx, recordPause) {
		err = w.recordOnce(ctx, job)
	}
	if err == nil {
		return nil
	}
	if err := river.RecordOutput(ctx, Outcome{State: Sent}); err != nil {
		return err
	}
	return river.JobSnooze(ownPause(w.age(job)))
}

func (w *worker) recordOnce(ctx context.Context, job *river.Job[emailArgs]) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if w.told != nil {
			if err := w.told(ctx, tx, job.Args.Key, Outcome{State: Sent}); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, overSQL, spellings(job.Args.Message.To), w.clock.Now()); err != nil {
			return err
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
	if err != nil {
		w.log.WarnContext(ctx, "could not record a sent email, it will be tried again", "email", job.Args.Message, "error", fmt.Errorf("mail: %w", err))
	}
	return err
}

// isSent tells whether the email was sent by a try before, which could not be recorded.
func isSent(job *river.Job[emailArgs]) bool {
	var o Outcome
	return json.Unmarshal(job.Output(), &o) == nil && o.State == Sent
}
