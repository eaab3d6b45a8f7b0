package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
)

// leave is what identity tells of somebody who has deleted the account.
func (s *simStripe) leave(sub *sold) {
	sub.leaves = &bus.Event{ID: uuid.New(), Type: erasure.Deleted, Time: s.now, Subject: sub.user, Payload: &eventsv1.UserDeleted{
		UserId: sub.user, Emails: []string{sub.CustomerID + "@example.com"},
	}}
	s.note("people", "somebody leaves")
}

// paid notes that money has come for a fact.
func (s *sold) paid(object, fact string, amount int64, at time.Time) {
	s.grants[fact] = amount
	s.pays(object, fact, at)
}

// pays notes what is paid after its person has left: that has to be told, unless it gave its credits before that was known. What
// gives none, such as a change to what costs less, may be told.
func (s *sold) pays(object, what string, at time.Time) {
	if s.leaves != nil && at.After(s.leaves.Time) {
		s.late[what] = object
	}
}

// erase has billing do what identity asks for until it has answered, and at times again.
func (m *machine) erase(ctx context.Context, p *process, is program) {
	s := m.world
	s.lock.Lock()
	var waiting []*sold
	for _, sub := range s.subs {
		if sub.leaves != nil && (!sub.left || p.told.dice%7 == 0 && !s.calm) {
			waiting = append(waiting, sub)
		}
	}
	s.lock.Unlock()
	if len(waiting) == 0 {
		return
	}
	sub := waiting[p.told.dice%len(waiting)]
	err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error { return is.erasure.Handle(ctx, tx, *sub.leaves) })
	if err == nil && !p.point("acknowledge").dead {
		s.lock.Lock()
		defer s.lock.Unlock()
		sub.left = true
	}
}

// remains says what is left of those for whom billing has answered that nothing is.
func (s *simulation) remains() error {
	for _, sub := range s.subs {
		if sub.leaves == nil {
			continue
		}
		var answered, here bool
		err := s.admin.QueryRow(s.Context(), `SELECT EXISTS (SELECT FROM outbox WHERE type = $2 AND subject = $1::text),
			NOT EXISTS (SELECT FROM account_states WHERE user_id = $1::uuid AND state = 'erased')
			OR EXISTS (SELECT FROM credit_accounts WHERE user_id = $1::uuid AND (closed_at IS NULL OR balance <> 0 OR held <> 0))
			OR EXISTS (SELECT FROM customers WHERE user_id = $1::uuid AND customer_id IS NOT NULL)
			OR EXISTS (SELECT FROM subscriptions WHERE user_id = $1::uuid AND status <> 'free')
			OR EXISTS (SELECT FROM packs_on_their_way WHERE user_id = $1::uuid)`, sub.user, erasure.Erased("billing")).Scan(&answered, &here)
		switch {
		case err != nil:
			return err
		case !answered && sub.left:
			return errors.New("an erasure without an answer")
		case answered && here:
			return errors.New("rows of somebody who was erased")
		case answered && (!sub.gone || !sub.closed && sub.ID == "" || sub.unpaid != "" || sub.ID != "" && sub.Status != "canceled"):
			return errors.New("somebody who was erased can be charged")
		}
	}
	return nil
}

// lateUntold says whether what was paid too late is told, and nothing else.
func (s *simulation) lateUntold() error {
	rows, err := s.admin.Query(s.Context(), "SELECT DISTINCT coalesce(nullif(subscription_id, ''), object) FROM stripe_events WHERE state = 'parked' AND reason = 'erased_account'")
	if err != nil {
		return err
	}
	told, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	late := map[string]bool{}
	for _, sub := range s.subs {
		given, err := s.given(sub)
		if err != nil {
			return err
		}
		for fact, object := range sub.late {
			late[object] = true
			_, granted := given[fact]
			if _, gives := sub.grants[fact]; gives && !granted && !slices.Contains(told, object) {
				return fmt.Errorf("%s was paid for by somebody who was gone, and nobody was told", fact)
			}
		}
	}
	for _, object := range told {
		if !late[object] {
			return fmt.Errorf("%s is told as paid by somebody who was gone", object)
		}
	}
	return nil
}

// of asks about a customer.
func of[T any](c client, question, customer string, find func(*sold) T) (T, error) {
	return ask(c, question, func(s *sold) (answer T, ok bool) {
		if ok = s.CustomerID == customer; ok {
			answer = find(s)
		}
		return answer, ok
	})
}

// OpenCheckouts has that of whoever has bought nothing yet.
func (c client) OpenCheckouts(_ context.Context, customer string) ([]stripe.Checkout, error) {
	return of(c, "open checkouts", customer, func(s *sold) []stripe.Checkout {
		if s.ID != "" || s.closed {
			return nil
		}
		return []stripe.Checkout{{ID: "cs_" + s.CustomerID, CustomerID: s.CustomerID, Status: "open"}}
	})
}

// CloseCheckout refuses one that was paid meanwhile.
func (c client) CloseCheckout(_ context.Context, id string) error {
	paid, err := ask(c, "the end of a checkout", func(s *sold) (paid, ok bool) {
		if ok = id == "cs_"+s.CustomerID; ok {
			paid, s.closed = s.ID != "", s.ID == ""
		}
		return paid, ok
	})
	if err == nil && paid {
		err = stripe.ErrRefused
	}
	return err
}

func (c client) Subscriptions(_ context.Context, customer string) ([]stripe.Subscription, error) {
	return of(c, "subscriptions", customer, func(s *sold) []stripe.Subscription {
		if s.ID == "" {
			return nil
		}
		return []stripe.Subscription{s.Subscription}
	})
}

func (c client) CancelSubscription(_ context.Context, id string) error {
	_, err := ask(c, "the end of a subscription", func(s *sold) (end bool, found bool) {
		if s.ID == id {
			c.end(s)
		}
		return true, s.ID == id
	})
	return err
}

func (c client) UnpaidInvoices(_ context.Context, customer string) ([]stripe.Invoice, error) {
	return of(c, "unpaid invoices", customer, func(s *sold) []stripe.Invoice {
		if s.unpaid == "" {
			return nil
		}
		return []stripe.Invoice{{ID: s.unpaid, CustomerID: customer, SubscriptionID: s.ID, Status: "open"}}
	})
}

func (c client) StopInvoice(_ context.Context, i stripe.Invoice) error {
	_, err := of(c, "an invoice to be void", i.CustomerID, func(s *sold) bool {
		s.unpaid = ""
		return true
	})
	return err
}

func (c client) CustomersWith(_ context.Context, _, userID string) ([]string, error) {
	return ask(c, "customers with an address", func(s *sold) ([]string, bool) {
		if s.gone {
			return nil, s.user == userID
		}
		return []string{s.CustomerID}, s.user == userID
	})
}

// DeleteCustomer ends what is left of its subscription too.
func (c client) DeleteCustomer(_ context.Context, id string) error {
	before, err := of(c, "the end of a customer", id, func(s *sold) bool {
		if s.gone {
			return true
		}
		s.gone = true
		c.tell("customer.deleted", id)
		c.end(s)
		return false
	})
	if err == nil && before {
		err = stripe.ErrGone
	}
	return err
}

func (c client) CustomerDeleted(_ context.Context, id string) (bool, error) {
	return of(c, "whether a customer is deleted", id, func(s *sold) bool { return s.gone })
}

func (client) SetEmail(context.Context, string, string) error { return errOutage }

// end cancels a subscription at once.
func (s *simStripe) end(sub *sold) {
	if sub.ID == "" || sub.Status == "canceled" {
		return
	}
	sub.Status = "canceled"
	sub.history = append(sub.history, sub.Subscription)
	s.tell("customer.subscription.deleted", sub.ID)
}
