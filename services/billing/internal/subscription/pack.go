package subscription

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/pg"
)

// packYears is for how long the credits of a pack can be spent.
const packYears = 1

// PackFact is what the grant of a checkout for a pack stands for.
func PackFact(checkoutID string) string { return "pack/" + checkoutID }

// SyncPack reads a checkout for a pack from Stripe again and gives its credits once it is paid, or
// notes that the money is on its way. An *Unfit says that it cannot be applied, ErrForeign that
// nobody has bought it here: it sells none of our packs, or is not paid.
func (svc *Service) SyncPack(ctx context.Context, id string) error {
	return svc.syncPack(ctx, id, nil)
}

// syncPack applies a checkout for a pack and, unless it is nil, the withdrawals that ask comes to.
// As with subscriptions, what was read counts only if nothing else has been applied to the account
// since before.
func (svc *Service) syncPack(ctx context.Context, id string, ask func(context.Context) ([]withdrawal, error)) error {
	var owner account
	for range maxReads {
		sold, err := svc.stripe.Checkout(ctx, id)
		if err != nil {
			return gone(err, id)
		}
		if owner.userID == uuid.Nil {
			if owner, err = svc.buyer(ctx, sold); err != nil {
				return err
			}
		}
		var list []withdrawal
		if ask != nil {
			if list, err = ask(ctx); err != nil {
				return err
			}
		}
		stale, err := svc.unlessStale(ctx, &owner, func(tx pgx.Tx) error {
			if err := svc.q.CountSync(ctx, tx, owner.userID); err != nil {
				return err
			}
			return svc.applyPack(ctx, tx, owner, sold, list)
		})
		switch {
		case err != nil:
			return err
		case stale:
			continue
		case owner.state == store.Erased && sold.Paid && sold.PaidAt.IsZero():
			// Nobody knows when: it is told unless it gave its credits.
			given, err := svc.PackGiven(ctx, id)
			if err != nil || given {
				return err
			}
			return &Unfit{Reason: ErasedAccount, Object: id}
		case owner.state == store.Erased:
			return svc.paidTooLate(ctx, owner.userID, sold.PaidAt, id)
		}
		return nil
	}
	return errBusy
}

// buyer is the account of a checkout for a pack. One whose customer nobody is was opened for the
// account that we have written into it: the database may be older than the purchase.
func (svc *Service) buyer(ctx context.Context, sold stripe.Checkout) (account, error) {
	userID, err := uuid.Parse(sold.UserID)
	switch {
	case sold.Credits <= 0 && (!sold.Paid || !slices.ContainsFunc(sold.PriceIDs, svc.plans.SellsPack)):
		return account{}, ErrForeign
	case sold.Live != svc.cfg.Live:
		return account{}, &Unfit{Reason: WrongMode, Object: sold.ID}
	case sold.Credits <= 0: // of a page that we have not opened, such as a payment link, and perhaps of a guest
		return account{}, &Unfit{Reason: UnknownCustomer, Object: sold.ID}
	case err != nil:
		return account{}, &Unfit{Reason: UnknownCustomer, Object: sold.ID}
	}
	bound, err := svc.q.AccountOfCustomer(ctx, svc.pool, sold.CustomerID)
	if errors.Is(err, pgx.ErrNoRows) {
		customer, err := svc.Bind(ctx, userID, sold.CustomerID)
		switch {
		case errors.Is(err, erasure.ErrErased):
			return account{}, &Unfit{Reason: ErasedAccount, Object: sold.ID}
		case err != nil:
			return account{}, err
		case customer != sold.CustomerID: // it has bought as another one since
			return account{}, &Unfit{Reason: UnknownCustomer, Object: sold.ID}
		}
		svc.log.WarnContext(ctx, "a customer was bound to the account that its checkout names", "user", userID, "customer", customer, "checkout", sold.ID)
		bound, err = svc.q.AccountOfCustomer(ctx, svc.pool, customer)
		if err != nil {
			return account{}, pg.Fault(err, nil)
		}
	} else if err != nil {
		return account{}, pg.Fault(err, nil)
	}
	if bound.UserID != userID {
		return account{}, &Unfit{Reason: UnknownCustomer, Object: sold.ID}
	}
	return account{bound.UserID, []string{sold.CustomerID}, bound.Syncs, bound.State, false}, nil
}

// applyPack writes what a checkout has come to.
func (svc *Service) applyPack(ctx context.Context, tx pgx.Tx, owner account, sold stripe.Checkout, list []withdrawal) error {
	if sold.Processing && !sold.Paid {
		if owner.state == store.Erased {
			return nil
		}
		return svc.q.PutPackOnItsWay(ctx, tx, db.PutPackOnItsWayParams{CheckoutID: sold.ID, UserID: owner.userID, Credits: sold.Credits, Since: sold.Created})
	}
	if err := svc.q.DropPackOnItsWay(ctx, tx, sold.ID); err != nil || !sold.Paid {
		return err // nobody has paid it yet, or the money did not come
	}
	grant := packGrant(owner.userID, sold, svc.clock.Now())
	known, err := svc.q.KnownFacts(ctx, tx, []string{grant.Fact})
	switch {
	case err != nil:
		return err
	case len(known) == 0 && owner.state != store.Erased:
		if _, err := svc.ledger.Grant(ctx, tx, grant); err != nil {
			return err
		}
		svc.log.InfoContext(ctx, "a pack was paid", "user", owner.userID, "checkout", sold.ID)
	}
	for _, w := range list {
		if err := svc.take(ctx, tx, w, grant.Fact, "", sold.Amount); err != nil {
			return err
		}
	}
	return nil
}

// packGrant is what a paid checkout gives, from the moment when that is known.
func packGrant(userID uuid.UUID, sold stripe.Checkout, now time.Time) ledger.Grant {
	end := now.AddDate(packYears, 0, 0)
	invoice := sold.InvoiceID
	if invoice == "" {
		invoice = sold.ID
	}
	return ledger.Grant{
		UserID: userID, Fact: PackFact(sold.ID), Series: sold.ID, Reference: invoice + "/pack", Description: "Extra credits",
		Amount: sold.Credits, PeriodStart: now, PeriodEnd: end, ExpiresAt: end,
		Paid: ledger.Payment{Invoice: invoice, Amount: stripe.Hundredths(sold.Amount, sold.Currency), Currency: sold.Currency},
	}
}

// PackGiven reports whether a checkout has given its credits.
func (svc *Service) PackGiven(ctx context.Context, checkoutID string) (bool, error) {
	known, err := svc.q.KnownFacts(ctx, svc.pool, []string{PackFact(checkoutID)})
	return len(known) > 0, pg.Fault(err, nil)
}

// PackOnItsWay is a pack that was ordered and whose money has not arrived.
type PackOnItsWay struct {
	// Credits are in hundredths.
	Credits int64
	Since   time.Time
}

// PacksOnTheirWay are those of an account, the oldest first.
func (svc *Service) PacksOnTheirWay(ctx context.Context, userID uuid.UUID) ([]PackOnItsWay, error) {
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	rows, err := svc.q.PacksOnTheirWayOf(ctx, svc.pool, userID)
	list := make([]PackOnItsWay, len(rows))
	for i, row := range rows {
		list[i] = PackOnItsWay{row.Credits, row.Since.UTC()}
	}
	return list, pg.Fault(err, nil)
}
