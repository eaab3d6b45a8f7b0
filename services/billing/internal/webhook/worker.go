package webhook

import (
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
)

// Subscriptions applies what happened to them; *subscription.Service does it.
type Subscriptions interface {
	Sync(ctx context.Context, subscription string) error
	SyncFor(ctx context.Context, subscription, invoice string) error
	SyncPack(ctx context.Context, checkout string) error
	Refunded(ctx context.Context, charge string) error
	Disputed(ctx context.Context, dispute string) error
	Warned(ctx context.Context, warning string) error
	Suspected(ctx context.Context, warning string) (bool, error)
	CustomerDeleted(ctx context.Context, customer string) error
}

// worker applies one event at a time.
type worker struct {
	river.WorkerDefaults[eventArgs]
	pool          *pgxpool.Pool
	q             db.Queries
	stripe        Stripe
	subscriptions Subscriptions
	metrics       *metrics
	clock         clock.Clock
	log           *slog.Logger
}

// Work applies an event and records the result. Applying can be repeated, so a process
// may be killed in between.
func (w *worker) Work(ctx context.Context, job *river.Job[eventArgs]) error {
	id := job.Args.ID
	ev, err := w.q.AttemptEvent(ctx, w.pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return w.calm(ctx) // the rest is done by an earlier attempt
	}
	if err == nil {
		err = w.apply(ctx, job, ev)
	}
	if err == nil && warns(ev.Type) {
		err = w.calm(ctx) // it may have been settled while it was parked
	}
	return err
}

func (w *worker) apply(ctx context.Context, job *river.Job[eventArgs], ev db.AttemptEventRow) error {
	id := job.Args.ID
	apply, ok := effects[ev.Type]
	if !ok {
		return w.end(ctx, id, ignored)
	}
	err := apply(w, ctx, ev.Object)
	if settles(ev.Type) {
		unsettled := w.calm(ctx)
		if err = errors.Join(err, unsettled); unsettled != nil && job.Attempt < job.MaxAttempts {
			// Nothing else may come that settles the warning, whatever becomes of the event itself.
			return w.again(ctx, job, ev, err)
		}
	}
	if errors.Is(err, stripe.ErrGone) {
		err = &subscription.Unfit{Reason: subscription.NotAtStripe, Object: ev.Object}
	}
	if errors.Is(err, subscription.ErrForeign) {
		w.metrics.applied(foreign)
		return w.end(ctx, id, ignored)
	}
	if unfit, ok := errors.AsType[*subscription.Unfit](err); ok {
		accepted, asked := w.q.IsAccepted(ctx, w.pool, db.IsAcceptedParams{Objects: []string{unfit.Object, ev.Object}, Cause: unfit.Reason})
		switch {
		case asked != nil:
			return asked
		case accepted:
			w.metrics.applied(applied)
			return w.end(ctx, id, applied)
		}
		return w.park(ctx, id, ev.Type, *unfit, err)
	}
	if err != nil && job.Attempt >= job.MaxAttempts {
		return w.park(ctx, id, ev.Type, subscription.Unfit{Reason: subscription.AttemptsExceeded}, err)
	}
	if err != nil {
		return w.again(ctx, job, ev, err)
	}
	w.metrics.applied(applied)
	return w.end(ctx, id, applied)
}

// again has River try an event once more.
func (w *worker) again(ctx context.Context, job *river.Job[eventArgs], ev db.AttemptEventRow, why error) error {
	w.metrics.applied("failed")
	w.log.WarnContext(ctx, "a Stripe event could not be applied and will be retried", "event", job.Args.ID, "type", ev.Type, "attempt", job.Attempt, "error", why)
	return why
}

// calm ends the events of warnings that nobody has to decide about any more, as their money was refunded or is disputed. It
// follows whatever may settle a warning.
func (w *worker) calm(ctx context.Context) error {
	warnings, err := w.q.ParkedWarnings(ctx, w.pool, subscription.FraudWarning)
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		suspected, err := w.subscriptions.Suspected(ctx, warning)
		if err == nil && !suspected {
			err = w.subscriptions.Warned(ctx, warning)
		}
		if _, odd := errors.AsType[*subscription.Unfit](err); odd || suspected {
			continue // it waits, or for another reason
		}
		if err != nil && !errors.Is(err, subscription.ErrForeign) {
			return err
		}
		w.log.InfoContext(ctx, "an early fraud warning is settled", "warning", warning)
		if err := w.q.EndWarning(ctx, w.pool, db.EndWarningParams{State: applied, Reason: subscription.FraudWarning, Object: warning, Now: w.clock.Now()}); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) park(ctx context.Context, id, kind string, unfit subscription.Unfit, why error) error {
	w.metrics.applied(parked)
	w.metrics.parked.WithLabelValues(unfit.Reason).Inc()
	w.log.ErrorContext(ctx, "a Stripe event was parked and needs investigation", "event", id, "type", kind, "reason", unfit.Reason, "error", why)
	return w.q.EndEvent(ctx, w.pool, db.EndEventParams{
		ID: id, State: parked, Reason: unfit.Reason, SubscriptionID: unfit.Subscription, Now: w.clock.Now(),
	})
}

func (w *worker) end(ctx context.Context, id, state string) error {
	return w.q.EndEvent(ctx, w.pool, db.EndEventParams{ID: id, State: state, Now: w.clock.Now()})
}
