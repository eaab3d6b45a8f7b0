// Package webhook receives Stripe's events and applies them.
//
// Receiving only verifies, stores and answers. A job, committed with the event, reads
// the event's object from Stripe; nothing but its type and id is used or kept.
package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// MaxPayload is the largest event in bytes.
const MaxPayload = 1 << 20

var (
	errSignature = fault.New(fault.Invalid, "invalid_signature", "The signature is not valid.")
	errMalformed = fault.New(fault.Invalid, "invalid_event", "This is not an event.")
	errThin      = fault.New(fault.Invalid, "thin_event", "This is a thin event. Please have the endpoint at Stripe send snapshots.")
	errTooLarge  = fault.New(fault.TooLarge, "event_too_large", "The event is too large.")
)

// States of an event, besides pending and what Work makes of it.
const (
	pending   = "pending"
	applied   = "applied"
	ignored   = "ignored"
	wrongMode = "wrong_mode"
	parked    = "parked"
)

// foreign is what becomes of an event of another product's, which is ignored, in the metrics.
const foreign = "foreign"

// Inbox takes events. Safe for concurrent use.
type Inbox struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	verifier *stripe.Verifier
	queue    *Queue
	metrics  *metrics
	clock    clock.Clock
	log      *slog.Logger
	cfg      Config
}

// Config bounds the work.
type Config struct {
	// Live is whether the key moves real money. Events of the other mode have no effect.
	Live bool
	// Deadline bounds the storing of an event.
	Deadline time.Duration
}

// NewInbox returns an inbox over a migrated database, whose jobs go to queue.
func NewInbox(pool *pgxpool.Pool, verifier *stripe.Verifier, queue *Queue, clk clock.Clock, cfg Config, log *slog.Logger) *Inbox {
	return &Inbox{
		pool: pool, q: db.New(), verifier: verifier, queue: queue, metrics: queue.metrics, clock: clk,
		log: log.With("part", "webhook"), cfg: cfg,
	}
}

// Receive verifies and stores what was delivered, with the job that applies it.
// Invalid for what Stripe did not sign or what is no event.
func (i *Inbox) Receive(ctx context.Context, payload []byte, signature string) error {
	if len(payload) > MaxPayload {
		i.metrics.received("too_large")
		return errTooLarge
	}
	ev, err := i.verifier.Verify(payload, signature, i.clock.Now())
	switch {
	case errors.Is(err, stripe.ErrMalformed):
		i.metrics.received("malformed")
		i.log.ErrorContext(ctx, "webhook refused: its signature is valid, but it is no Stripe event", "bytes", len(payload))
		return errMalformed
	case errors.Is(err, stripe.ErrThin):
		i.metrics.received("malformed")
		i.log.ErrorContext(ctx, "webhook refused: it is a thin event; have the endpoint at Stripe send snapshots")
		return errThin
	case err != nil:
		i.metrics.received("refused")
		i.log.WarnContext(ctx, "webhook refused: no valid signature; if Stripe sent it, check STRIPE_WEBHOOK_SECRETS")
		return errSignature
	}
	ctx, cancel := context.WithTimeout(ctx, i.cfg.Deadline)
	defer cancel()
	outcome, err := i.Add(ctx, ev)
	if err == nil {
		i.metrics.received(outcome)
	}
	return pg.Fault(err, nil)
}

// Add stores an event once, with its job. It returns the event's first state, "duplicate", or
// "foreign" for one of a connected account.
func (i *Inbox) Add(ctx context.Context, ev stripe.Event) (outcome string, err error) {
	state := pending
	_, hasEffect := effects[ev.Type]
	switch {
	case ev.Account != "": // of either mode: an endpoint for connected accounts gets both
		state = ignored
	case ev.Live != i.cfg.Live:
		state = wrongMode
		i.log.ErrorContext(ctx, "event ignored, it is of the wrong mode (test or live): check the webhook endpoint and STRIPE_SECRET_KEY",
			"event", ev.ID, "type", ev.Type, "livemode", ev.Live)
	case ev.Object == "" || !hasEffect:
		state = ignored
	}
	err = pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		if outcome = state; ev.Account != "" {
			outcome = foreign
		}
		added, err := i.q.AddEvent(ctx, tx, db.AddEventParams{
			ID: ev.ID, Type: ev.Type, Object: ev.Object, Livemode: ev.Live, CreatedAt: ev.Created, Now: i.clock.Now(), State: state,
		})
		if added == 0 {
			outcome = "duplicate"
			return err
		}
		if state != pending {
			return nil
		}
		return i.queue.insert(ctx, tx, ev.ID)
	})
	return outcome, err
}

// Requeue makes parked events pending again: those with an id of ids, or all
// without any; of one reason unless it is "". It returns their ids.
func Requeue(ctx context.Context, pool *pgxpool.Pool, queue *Queue, ids []string, reason string) (requeued []string, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		requeued, err = queue.Requeue(ctx, tx, ids, reason)
		return err
	})
	return requeued, err
}

// Requeue does it in the caller's transaction.
func (q *Queue) Requeue(ctx context.Context, tx pgx.Tx, ids []string, reason string) (requeued []string, err error) {
	if ids == nil {
		ids = []string{}
	}
	requeued, err = db.New().RequeueParked(ctx, tx, db.RequeueParkedParams{Ids: ids, Reason: reason})
	for _, id := range requeued {
		if err == nil {
			err = q.insert(ctx, tx, id)
		}
	}
	return requeued, err
}
