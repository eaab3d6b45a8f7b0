package standing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/erasure"
)

// Erase ends an account for good; erasure.Consumer says when it is called. Stripe comes first
// and the rows after it, so that what the rows say has ended has ended. What ended at Stripe is
// kept in a transaction of pool's, whatever becomes of tx: an erasure is tried again for as long as the
// outbox is read, and may be begun anew. Of an account that is known to be erased Stripe is asked nothing.
func (s *Service) Erase(ctx context.Context, pool *pgxpool.Pool, tx pgx.Tx, account erasure.Account) error {
	_, err := s.q.ErasedSince(ctx, tx, account.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = pgx.BeginFunc(ctx, pool, func(own pgx.Tx) error { return s.endAtStripe(ctx, own, account) })
	}
	if err != nil {
		return err
	}
	if err := s.q.DeleteToldPlan(ctx, tx, account.ID); err != nil {
		return err
	}
	expired, err := s.ledger.Close(ctx, tx, account.ID)
	if err != nil {
		return err
	}
	// Whoever is noting something meanwhile ends first, or sees that the account is erased.
	if _, err := tx.Exec(ctx, "LOCK TABLE notices IN EXCLUSIVE MODE"); err != nil {
		return err
	}
	if err := s.q.ErasePacksOnTheirWay(ctx, tx, account.ID); err != nil {
		return err
	}
	if err := s.q.EraseNotices(ctx, tx, account.ID); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "an account was erased", "user", account.ID, "credits_expired", expired)
	return nil
}

// endAtStripe ends what an account has there, and lets nobody bind a customer to it from then on.
func (s *Service) endAtStripe(ctx context.Context, tx pgx.Tx, account erasure.Account) error {
	now := s.clock.Now()
	if set, err := s.q.SetErased(ctx, tx, db.SetErasedParams{UserID: account.ID, Since: account.Deleted}); err != nil || set == 0 {
		return err // another event's handler has just done all this
	}
	customers, err := s.q.CustomersOf(ctx, tx, account.ID)
	if err != nil {
		return err
	}
	if customers, err = s.leave(ctx, account, customers); err != nil {
		return err
	}
	return s.forget(ctx, tx, account.ID, customers, now)
}

// leave ends everything at Stripe, of the customers that are known and of those that we made
// and then lost, and returns them all.
func (s *Service) leave(ctx context.Context, account erasure.Account, known []string) (customers []string, err error) {
	if s.stripe == nil {
		return known, nil
	}
	seen := map[string]bool{}
	add := func(list []string) {
		for _, id := range list {
			if !seen[id] {
				seen[id] = true
				customers = append(customers, id)
			}
		}
	}
	add(known)
	for _, email := range account.Emails {
		made, err := s.stripe.CustomersWith(ctx, email, account.ID.String())
		if err != nil {
			return nil, err
		}
		add(made)
	}
	for _, customer := range customers {
		if err := s.end(ctx, customer); err != nil {
			return nil, err
		}
	}
	return customers, nil
}

// end has nothing of a customer's collected any more, and then deletes it. Checkouts come
// first: of one that was paid at the last moment there is a subscription afterwards.
func (s *Service) end(ctx context.Context, customer string) error {
	if err := s.closeCheckouts(ctx, customer); err != nil {
		return err
	}
	list, err := s.living(ctx, customer)
	if err != nil {
		return err
	}
	for _, sub := range list {
		if err := s.done(ctx, s.stripe.CancelSubscription(ctx, sub.ID), subscriptionCancelled, sub.ID, customer); err != nil {
			return err
		}
	}
	invoices, err := s.stripe.UnpaidInvoices(ctx, customer)
	if err := unlessGone(err); err != nil {
		return err
	}
	for _, i := range invoices {
		if err := s.stopInvoice(ctx, i, customer); err != nil {
			return err
		}
	}
	err = s.stripe.DeleteCustomer(ctx, customer)
	if !errors.Is(err, stripe.ErrGone) {
		return s.done(ctx, err, customerDeleted, customer, customer)
	}
	_, err = s.stripe.CustomerDeleted(ctx, customer)
	if errors.Is(err, stripe.ErrGone) {
		// Nobody could ever delete it with this key: waiting would keep the account from
		// being erased at all.
		s.log.ErrorContext(ctx, "Stripe does not know a customer that was to be deleted: if it is of another Stripe account or mode, delete it there", "customer", customer)
		return nil
	}
	return err
}

// stopInvoice has an invoice not be collected. Stripe makes none void whose money is on its way, or of which a part was paid: that
// is left as it is. Nothing collects it once its subscription has ended, and if the money comes, package subscription tells of it.
func (s *Service) stopInvoice(ctx context.Context, i stripe.Invoice, customer string) error {
	err := s.stripe.StopInvoice(ctx, i)
	if !errors.Is(err, stripe.ErrRefused) {
		return s.done(ctx, err, invoiceStopped, i.ID, customer)
	}
	processing, asked := s.stripe.PaymentProcessing(ctx, i.ID)
	switch {
	case asked != nil:
		return asked
	case !processing && i.Paid == 0:
		return err
	}
	s.log.WarnContext(ctx, "an invoice of an account that was deleted stays: its money is on its way, or a part of it was paid", "invoice", i.ID, "customer", customer)
	return nil
}

// forget keeps the rows that Stripe's late events and the books need, under the bare id.
func (s *Service) forget(ctx context.Context, tx pgx.Tx, userID uuid.UUID, customers []string, now time.Time) error {
	if len(customers) == 0 {
		return nil
	}
	if err := s.q.KnowAccount(ctx, tx, db.KnowAccountParams{UserID: userID, Now: now}); err != nil {
		return err
	}
	if _, err := s.q.LockAccount(ctx, tx, userID); err != nil {
		return err
	}
	// What others have read of Stripe before is old now.
	if err := s.q.CountSync(ctx, tx, userID); err != nil {
		return err
	}
	if err := s.q.KeepCustomers(ctx, tx, db.KeepCustomersParams{UserID: userID, Customers: customers, Now: now}); err != nil {
		return err
	}
	return s.q.EndSubscriptions(ctx, tx, db.EndSubscriptionsParams{UserID: userID, Now: now})
}
