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
		return nil // done by an earlier attempt
	}
	if err != nil {
		return err
	}
	apply, ok := effects[ev.Type]
	if !ok {
		return w.end(ctx, id, ignored)
	}
	err = apply(w, ctx, ev.Object)
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
		w.metrics.applied("failed")
		w.log.WarnContext(ctx, "a Stripe event could not be applied and will be retried", "event", id, "type", ev.Type, "attempt", job.Attempt, "error", err)
		return err
	}
	w.metrics.applied(applied)
	return w.end(ctx, id, applied)
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
