// Package reconcile compares our data with Stripe's and repairs what lost webhooks
// left out, through the same code that applies events.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/periodic"
)

const (
	// lookBack is how old a compared invoice may be: the paid month, and the time during
	// which Stripe tries to collect.
	lookBack = 45 * 24 * time.Hour
	// keptEvents is for how long Stripe keeps events.
	keptEvents = 29 * 24 * time.Hour
	// page is how many are looked up in our tables at once.
	page = 100
	// retry is how soon a comparison that failed is tried again.
	retry = time.Minute
	// timeout is far above what a comparison takes, so that one that hangs ends at all.
	timeout = 6 * time.Hour
)

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	EachSubscription(ctx context.Context, fn func(stripe.Subscription) error) error
	EachPaidInvoice(ctx context.Context, since time.Time, fn func(stripe.Invoice) error) error
	EachPack(ctx context.Context, since time.Time, fn func(stripe.Checkout) error) error
	EachEvent(ctx context.Context, types []string, since time.Time, fn func(stripe.Event) error) error
}

// Subscriptions are what is repaired; *subscription.Service does it.
type Subscriptions interface {
	Sync(ctx context.Context, id string) error
	SyncPack(ctx context.Context, checkout string) error
	Lost(ctx context.Context, id string) (ended bool, err error)
	Next(ctx context.Context, s stripe.Subscription) (planID string, at time.Time, err error)
	Ours(ctx context.Context, s stripe.Subscription) (stripe.Subscription, error)
}

// Result counts what one comparison looked at and repaired.
type Result struct {
	Subscriptions, Invoices, Packs, Events int
	Repaired, Failed                       int
}

// Reconciler compares. Safe for concurrent use.
type Reconciler struct {
	pool    *pgxpool.Pool
	q       *db.Queries
	stripe  Stripe
	guard   subscription.AccountGuard
	subs    Subscriptions
	inbox   *webhook.Inbox
	metrics *metrics
	clock   clock.Clock
	every   time.Duration
	log     *slog.Logger
}

// New returns a reconciler whose Tasks work every so often.
func New(pool *pgxpool.Pool, api Stripe, guard subscription.AccountGuard, subs Subscriptions, inbox *webhook.Inbox, clk clock.Clock, every time.Duration, log *slog.Logger, reg prometheus.Registerer) (*Reconciler, error) {
	m, err := newMetrics(reg)
	return &Reconciler{
		pool: pool, q: db.New(), stripe: api, guard: guard, subs: subs, inbox: inbox, metrics: m, clock: clk, every: every,
		log: log.With("part", "reconcile"),
	}, err
}

// Tasks compare at the start and then regularly. A replica whose turn at the first falls into
// another's run has its next turn before that one, so that none keeps the gauges of an old
// comparison.
func (r *Reconciler) Tasks() []periodic.Task {
	return []periodic.Task{
		{
			Name: "stripe_reconcile", Every: r.every, Retry: min(retry, r.every), Timeout: timeout, Exclusive: true,
			Run: func(ctx context.Context) error {
				_, err := r.Run(ctx)
				return err
			},
		},
	}
}

// Run compares once.
func (r *Reconciler) Run(ctx context.Context) (result Result, err error) {
	// With a key of another account, nothing of ours would be found.
	if _, err := r.guard.Confirm(ctx); err != nil {
		return result, fmt.Errorf("reconcile: %w", err)
	}
	began := r.clock.Now()
	// What one step has repaired, the next finds in order.
	seen := map[string]bool{}
	err = errors.Join(r.subscriptions(ctx, &result), r.invoices(ctx, seen, &result), r.packs(ctx, &result), r.events(ctx, seen, &result))
	if err != nil {
		return result, fmt.Errorf("reconcile: %w", err)
	}
	if err := r.q.DropOddCases(ctx, r.pool, began); err != nil {
		return result, fmt.Errorf("reconcile: %w", err)
	}
	r.metrics.unfit.Set(float64(result.Failed))
	r.log.InfoContext(ctx, "compared with Stripe", "subscriptions", result.Subscriptions, "invoices", result.Invoices,
		"packs", result.Packs, "events", result.Events, "repaired", result.Repaired, "failed", result.Failed)
	return result, nil
}

func (r *Reconciler) subscriptions(ctx context.Context, result *Result) error {
	seen := []string{}
	err := r.stripe.EachSubscription(ctx, func(s stripe.Subscription) error {
		result.Subscriptions++
		seen = append(seen, s.ID)
		ours, err := r.q.GetSubscription(ctx, r.pool, s.ID)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return err
		case errors.Is(err, pgx.ErrNoRows):
			if _, err := r.q.AccountOfCustomer(ctx, r.pool, s.CustomerID); errors.Is(err, pgx.ErrNoRows) && s.UserID == "" {
				return nil // nobody has bought it here: its events say so
			}
		default:
			if same, err := r.same(ctx, ours, s); err != nil || same {
				return errors.Join(err, r.taxed(ctx, s, result))
			}
		}
		return r.repair(ctx, "subscription", s.ID, s.ID, result)
	})
	if err != nil {
		return err
	}
	return r.unlisted(ctx, seen, result)
}

// taxed tells of a subscription that goes on without taxes, because Stripe has switched them off: no event says so.
func (r *Reconciler) taxed(ctx context.Context, s stripe.Subscription, result *Result) error {
	if !s.TaxStopped || subscription.StatusOf(s) == subscription.Free {
		return nil
	}
	_, err := r.applied(ctx, &subscription.Unfit{Reason: subscription.TaxStopped, Object: s.ID}, s.ID, s.ID, result)
	return err
}

// unlisted looks at the subscriptions that we take for standing and that Stripe has not listed.
func (r *Reconciler) unlisted(ctx context.Context, seen []string, result *Result) error {
	list, err := r.q.StandingAnywhere(ctx, r.pool, seen)
	if err != nil {
		return err
	}
	for _, id := range list {
		ended, err := r.subs.Lost(ctx, id)
		switch {
		case err != nil:
			return err
		case ended:
			result.Repaired++
			r.metrics.repairs.WithLabelValues("unlisted").Inc()
			r.log.ErrorContext(ctx, "Stripe does not know a subscription of ours, which has ended here", "subscription", id)
		default: // it was bought while the list was read, nobody can tell whose key it is, or Stripe never lists it: it has a test clock
			if _, err := r.applied(ctx, r.subs.Sync(ctx, id), id, id, result); err != nil {
				return err
			}
		}
	}
	return nil
}

// same reports whether what we know of a subscription is what Stripe has listed. What it changes to is
// asked for where the list alone does not tell.
func (r *Reconciler) same(ctx context.Context, ours db.GetSubscriptionRow, s stripe.Subscription) (bool, error) {
	s, err := r.subs.Ours(ctx, s)
	if err != nil {
		return false, err
	}
	// Whether its payments are collected shows in no word of Stripe's, and here not before the first has come.
	turned := (ours.Status == subscription.Active || ours.Status == subscription.Paused) && ours.Status != subscription.StatusOf(s)
	if turned || int64(ours.IntervalCount) != max(s.IntervalCount, 1) || !sameTime(ours.CancelAt, s.End()) ||
		ours.MonthlyAmount != amount(s.Monthly) || ours.PeriodAmount != amount(s.PeriodAmount) ||
		ours.StripeStatus != s.Status || ours.PriceID != s.PriceID || !ours.PeriodStart.Equal(s.PeriodStart) || !ours.PeriodEnd.Equal(s.PeriodEnd) {
		return false, nil
	}
	next, at, err := r.subs.Next(ctx, s)
	switch {
	case errors.Is(err, stripe.ErrGone):
		return false, nil // its repair says so
	case err != nil:
		return false, err
	}
	known := ""
	if ours.NextPlanID != nil {
		known = *ours.NextPlanID
	}
	return known == next && sameTime(ours.NextAt, at), nil
}

// amount is how the database has one that is known.
func amount(n int64) pgtype.Int8 { return pgtype.Int8{Int64: n, Valid: true} }

// sameTime reports whether both are the same moment, or none.
func sameTime(ours *time.Time, at time.Time) bool {
	return ours == nil && at.IsZero() || ours != nil && ours.Equal(at)
}

// invoices repairs the subscriptions of paid invoices that granted nothing, and notes as seen which it has
// compared. Those that should grant nothing are checked again each time; they are few.
func (r *Reconciler) invoices(ctx context.Context, seen map[string]bool, result *Result) error {
	var waiting []stripe.Invoice
	err := r.stripe.EachPaidInvoice(ctx, r.clock.Now().Add(-lookBack), func(i stripe.Invoice) error {
		result.Invoices++
		if waiting = append(waiting, i); len(waiting) < page {
			return nil
		}
		err := r.granted(ctx, waiting, seen, result)
		waiting = nil
		return err
	})
	return errors.Join(err, r.granted(ctx, waiting, seen, result))
}

func (r *Reconciler) granted(ctx context.Context, invoices []stripe.Invoice, seen map[string]bool, result *Result) error {
	ids := make([]string, len(invoices))
	for i := range invoices {
		ids[i] = invoices[i].ID
	}
	known, err := r.q.GrantedInvoices(ctx, r.pool, ids)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, id := range known {
		done[id] = true
	}
	for _, i := range invoices {
		if done[i.ID] || i.SubscriptionID == "" || done[i.SubscriptionID] {
			seen[i.ID] = true
			continue
		}
		account, err := r.q.AccountOfCustomer(ctx, r.pool, i.CustomerID)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			seen[i.ID] = true // nobody has bought it here
			continue
		case err != nil:
			return err
		case account.State == store.Erased:
			continue // it is granted nothing, and its event tells whether it was paid too late
		}
		seen[i.ID], done[i.SubscriptionID] = true, true
		if err := r.repair(ctx, "invoice", i.SubscriptionID, i.ID, result); err != nil {
			return err
		}
	}
	return nil
}

// events fetches lost events of what no list that was compared shows: refunds, disputes, and the late
// payments and the finalizing of invoices that are not among the seen ones. The inbox takes each event once.
func (r *Reconciler) events(ctx context.Context, seen map[string]bool, result *Result) error {
	return r.stripe.EachEvent(ctx, webhook.Unlisted(), r.clock.Now().Add(-keptEvents), func(ev stripe.Event) error {
		if seen[ev.Object] {
			return nil
		}
		result.Events++
		outcome, err := r.inbox.Add(ctx, ev)
		if err == nil && outcome == "pending" {
			result.Repaired++
			r.metrics.repairs.WithLabelValues("event").Inc()
			r.log.WarnContext(ctx, "an event was lost and has been fetched", "event", ev.ID, "type", ev.Type)
		}
		return err
	})
}

// repair applies a subscription. One that cannot be applied is counted and keeps no other
// from being applied; only an outage ends the comparison.
func (r *Reconciler) repair(ctx context.Context, kind, id, object string, result *Result) error {
	applied, err := r.applied(ctx, r.subs.Sync(ctx, id), id, object, result)
	if err != nil || !applied {
		return err
	}
	if kind == "invoice" {
		known, err := r.q.GrantedInvoices(ctx, r.pool, []string{object})
		if err != nil || len(known) == 0 {
			return err // it stands for no credits
		}
	}
	result.Repaired++
	r.metrics.repairs.WithLabelValues(kind).Inc()
	r.log.InfoContext(ctx, "a subscription was brought up to date", "subscription", id, "found_by", object)
	return nil
}

// applied looks at how the applying of something has ended. What cannot be applied is counted, and
// kept for people if they have to decide; an outage is returned.
func (r *Reconciler) applied(ctx context.Context, err error, subscriptionID, object string, result *Result) (bool, error) {
	unfit, odd := errors.AsType[*subscription.Unfit](err)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, subscription.ErrForeign):
		return false, nil
	case odd:
		if accepted, err := r.q.IsAccepted(ctx, r.pool, db.IsAcceptedParams{Objects: []string{unfit.Object}, Cause: unfit.Reason}); err != nil || accepted {
			return false, err
		}
		result.Failed++
		r.log.ErrorContext(ctx, "what was bought cannot be applied", "subscription", subscriptionID, "reason", unfit.Reason, "object", unfit.Object)
		return false, r.q.PutOddCase(ctx, r.pool, db.PutOddCaseParams{Object: unfit.Object, Reason: unfit.Reason, SubscriptionID: subscriptionID, Now: r.clock.Now()})
	case errors.Is(err, fault.Unavailable), ctx.Err() != nil:
		return false, err
	}
	result.Failed++
	r.log.ErrorContext(ctx, "what was bought cannot be applied", "subscription", subscriptionID, "found_by", object, "error", err)
	return false, nil
}
