// Package standing follows what identity says of accounts. A disabled one is not renewed
// until it is enabled. One with another address has that at Stripe, too. A deleted one is charged nothing any more: what it has at Stripe ends,
// its customers there are deleted, and its credits end.
package standing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/mail"
)

const (
	disabledType = "fledge.identity.v1.user.disabled"
	enabledType  = "fledge.identity.v1.user.enabled"
	emailType    = "fledge.identity.v1.user.email_changed"

	// ackWait leaves a handler 40 s, enough for the few questions that it asks Stripe, even
	// if each takes seconds.
	ackWait = time.Minute
	// workers is how many handlers, and so connections to the database, wait for Stripe.
	workers = 1
)

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	Subscriptions(ctx context.Context, customer string) ([]stripe.Subscription, error)
	StopRenewal(ctx context.Context, s stripe.Subscription) error
	ResumeRenewal(ctx context.Context, s stripe.Subscription) error
	CancelSubscription(ctx context.Context, id string) error
	OpenCheckouts(ctx context.Context, customer string) ([]stripe.Checkout, error)
	CloseCheckout(ctx context.Context, id string) error
	UnpaidInvoices(ctx context.Context, customer string) ([]stripe.Invoice, error)
	StopInvoice(ctx context.Context, i stripe.Invoice) error
	PaymentProcessing(ctx context.Context, invoice string) (bool, error)
	CustomersWith(ctx context.Context, email, userID string) ([]string, error)
	SetEmail(ctx context.Context, customer, email string) error
	DeleteCustomer(ctx context.Context, id string) error
	CustomerDeleted(ctx context.Context, id string) (bool, error)
}

// Identity knows the addresses of accounts that are in use; *identityclient.Client does.
type Identity interface {
	Addresses(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Service handles the events. Safe for concurrent use, by any number of replicas.
//
// Its handlers call Stripe, which a transaction cannot roll back, and may do so: each call
// sets a state and can be repeated, and what is to be done is asked of Stripe anew in each
// try. A process that is killed between Stripe and the commit leaves an event that is
// delivered again and finds less to do.
//
// While Stripe is asked, only the account's row of account_states is locked. It makes the
// events of an account wait for each other, and nobody else but who binds a new customer.
type Service struct {
	q        *db.Queries
	stripe   Stripe
	identity Identity
	ledger   *ledger.Ledger
	clock    clock.Clock
	log      *slog.Logger
	actions  *prometheus.CounterVec
}

// New returns a service whose metrics are registered with reg. Without Stripe (nil) it is a
// demo's, where there is nothing to end but credits.
func New(api Stripe, identity Identity, credits *ledger.Ledger, clk clock.Clock, reg prometheus.Registerer, log *slog.Logger) (*Service, error) {
	s := &Service{q: db.New(), stripe: api, identity: identity, ledger: credits, clock: clk, log: log.With("part", "standing"),
		actions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_standing_actions_total",
			Help: "What was done at Stripe because an account was disabled, enabled or deleted, or has another address, by action: " +
				"checkout_closed, renewal_stopped, renewal_resumed, subscription_cancelled, invoice_stopped, customer_deleted, email_changed.",
		}, []string{"action"})}
	for _, action := range []string{checkoutClosed, renewalStopped, renewalResumed, subscriptionCancelled, invoiceStopped, customerDeleted, emailChanged} {
		s.actions.WithLabelValues(action)
	}
	return s, reg.Register(s.actions)
}

// The actions.
const (
	checkoutClosed        = "checkout_closed"
	renewalStopped        = "renewal_stopped"
	renewalResumed        = "renewal_resumed"
	subscriptionCancelled = "subscription_cancelled"
	invoiceStopped        = "invoice_stopped"
	customerDeleted       = "customer_deleted"
	emailChanged          = "email_changed"
)

// Consumers are those of the service; of a nil one, to know their names. An erasure goes on to the
// emails in the queues and the events behind pool.
func (s *Service) Consumers(pool *pgxpool.Pool, queues ...*mail.Queue) []bus.ConsumerSpec {
	list := []bus.ConsumerSpec{
		erasure.Consumer("billing", pool, func(ctx context.Context, tx pgx.Tx, account erasure.Account) ([]string, error) {
			return nil, s.Erase(ctx, pool, tx, account)
		}, queues...),
		{Name: "billing-user-disabled", Stream: bus.StreamOf("identity"), Type: disabledType, Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, ev bus.Event, e *eventsv1.UserDisabled) error {
				return s.follow(ctx, tx, e.GetUserId(), store.Disabled, ev.Time, s.stopRenewals)
			})},
		{Name: "billing-user-enabled", Stream: bus.StreamOf("identity"), Type: enabledType, Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, ev bus.Event, e *eventsv1.UserEnabled) error {
				if err := s.follow(ctx, tx, e.GetUserId(), store.Active, ev.Time, s.resumeRenewals); err != nil {
					return err
				}
				return s.move(ctx, tx, e.GetUserId()) // nobody may be told a disabled account's address
			})},
		{Name: "billing-user-email-changed", Stream: bus.StreamOf("identity"), Type: emailType, Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, _ bus.Event, e *eventsv1.UserEmailChanged) error {
				return s.move(ctx, tx, e.GetUserId())
			})},
	}
	for i := range list {
		list[i].AckWait, list[i].Workers = max(list[i].AckWait, ackWait), workers
	}
	return list
}

// follow notes an account's state and has its customer at Stripe follow, unless the account is
// erased or something newer is known.
func (s *Service) follow(ctx context.Context, tx pgx.Tx, user, state string, since time.Time, act func(ctx context.Context, customer string) error) error {
	userID, err := bus.AccountID(user)
	if err != nil {
		return err
	}
	set, err := s.q.SetState(ctx, tx, db.SetStateParams{UserID: userID, State: state, Since: since})
	if err != nil || set == 0 || s.stripe == nil {
		return err
	}
	now, err := s.q.StateForStripe(ctx, tx, userID)
	if err != nil || now.Renews {
		return err
	}
	return s.atStripe(ctx, tx, userID, act)
}

// atStripe acts on an account's customer there, if it has one.
func (s *Service) atStripe(ctx context.Context, tx pgx.Tx, userID uuid.UUID, act func(ctx context.Context, customer string) error) error {
	row, err := s.q.CustomerOf(ctx, tx, userID)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && row.CustomerID == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return act(ctx, row.CustomerID)
}

// move has Stripe write to the address that an account has now. Whoever may not be written to keeps
// the one before there.
func (s *Service) move(ctx context.Context, tx pgx.Tx, user string) error {
	userID, err := bus.AccountID(user)
	if err != nil {
		return err
	}
	row, err := s.q.CustomerOf(ctx, tx, userID)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && row.CustomerID == "" || s.stripe == nil {
		return nil
	}
	if err != nil {
		return err
	}
	addresses, err := s.identity.Addresses(ctx, []uuid.UUID{userID})
	if err != nil || addresses[userID] == "" {
		return err
	}
	return s.done(ctx, unlessGone(s.stripe.SetEmail(ctx, row.CustomerID, addresses[userID])), emailChanged, row.CustomerID, row.CustomerID)
}

// stopRenewals has the subscriptions of a disabled account end with what is paid for. Who had
// cancelled before has done it themselves: that is left as it is, unless the end is periods away.
func (s *Service) stopRenewals(ctx context.Context, customer string) error {
	if err := s.closeCheckouts(ctx, customer); err != nil {
		return err
	}
	list, err := s.living(ctx, customer)
	if err != nil {
		return err
	}
	for _, sub := range list {
		// Stripe sets no end of one that was never paid; if it is, package subscription does.
		if !sub.Renews() || sub.Status == subscription.Incomplete {
			continue
		}
		if err := s.done(ctx, s.stripe.StopRenewal(ctx, sub), renewalStopped, sub.ID, customer); err != nil {
			return err
		}
	}
	return nil
}

// resumeRenewals takes back what stopRenewals did, and nothing else.
func (s *Service) resumeRenewals(ctx context.Context, customer string) error {
	list, err := s.living(ctx, customer)
	if err != nil {
		return err
	}
	for _, sub := range list {
		if !sub.Stopped {
			continue
		}
		if err := s.done(ctx, s.stripe.ResumeRenewal(ctx, sub), renewalResumed, sub.ID, customer); err != nil {
			return err
		}
	}
	return nil
}

// living are the subscriptions of a customer that have not ended; none of one that is gone.
func (s *Service) living(ctx context.Context, customer string) (list []stripe.Subscription, err error) {
	all, err := s.stripe.Subscriptions(ctx, customer)
	for _, sub := range all {
		if subscription.StatusOf(sub) != subscription.Free {
			list = append(list, sub)
		}
	}
	return list, unlessGone(err)
}

// closeCheckouts keeps pages that are open somewhere from being paid.
func (s *Service) closeCheckouts(ctx context.Context, customer string) error {
	list, err := s.stripe.OpenCheckouts(ctx, customer)
	if err := unlessGone(err); err != nil {
		return err
	}
	for _, c := range list {
		// One that was paid or has expired meanwhile is refused. The next try does not
		// find it any more.
		if err := s.done(ctx, s.stripe.CloseCheckout(ctx, c.ID), checkoutClosed, c.ID, customer); err != nil {
			return err
		}
	}
	return nil
}

// done counts and logs an action, unless it has failed. What Stripe does not know any more has
// ended.
func (s *Service) done(ctx context.Context, err error, action, object, customer string) error {
	switch {
	case errors.Is(err, stripe.ErrGone):
		return nil
	case err != nil:
		return err
	}
	s.actions.WithLabelValues(action).Inc()
	s.log.InfoContext(ctx, "subscription or customer changed at Stripe after an account changed", "action", action, "object", object, "customer", customer)
	return nil
}

// unlessGone drops the error that a customer is not at Stripe any more.
func unlessGone(err error) error {
	if errors.Is(err, stripe.ErrGone) || errors.Is(err, stripe.ErrNoCustomer) {
		return nil
	}
	return err
}
