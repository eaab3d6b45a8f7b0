package subscription

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/pg"
)

// maxReads bounds how often a subscription is read again because something else
// was applied to its account meanwhile.
const maxReads = 8

var errBusy = errors.New("subscription: the account keeps changing")

// account is who a subscription belongs to, and how much had been applied when
// that was asked.
type account struct {
	userID uuid.UUID
	// customers are those that it is and was at Stripe.
	customers []string
	syncs     int64
	// state is what identity has said last; store names them.
	state string
	// known says that the subscription is in our own tables.
	known bool
}

// reading is what Stripe said at one moment.
type reading struct {
	subscription stripe.Subscription
	// invoices are the paid ones.
	invoices     []stripe.Invoice
	entitlements []entitlement
	unfit        []*Unfit
	// returned is what went back before it was granted.
	returned []returned
	// paid says that it was ever paid, and paidAt when last.
	paid   bool
	paidAt time.Time
	// sold is the plan that its price sells; none for a price of somebody else's.
	sold plan.Sold
	// foreign says that neither its price nor a line of its invoices nor its metadata is of ours.
	foreign bool
	// next is what it changes to; none when it stays.
	next plan.Sold
	// due is what is to be paid while a payment is overdue or on its way; nil otherwise.
	due *Due
}

// status is what we call what the subscription is in.
func (r reading) status() string {
	status := StatusOf(r.subscription)
	switch {
	case r.uncollected():
		return Free
	case status == Free || r.paid:
		return status
	case r.due != nil && r.due.Processing:
		return Processing
	case status == PastDue && r.subscription.UserID != "": // sold here, and its first payment came back
		return Incomplete
	}
	return status
}

// Sync reads a subscription and its paid invoices from Stripe and applies them. An
// *Unfit says that some of it could not be, and that nobody has accepted that; the rest has been
// applied.
func (svc *Service) Sync(ctx context.Context, id string) error {
	return svc.sync(ctx, id, "", nil)
}

// SyncFor does the same, and tells only what is wrong with the subscription itself or with that
// one of its invoices which it is called for: what else is wrong was told before.
func (svc *Service) SyncFor(ctx context.Context, id, invoice string) error {
	return svc.sync(ctx, id, cmp.Or(invoice, id), nil)
}

// more is applied after a subscription, in the same transaction.
type more func(ctx context.Context, tx pgx.Tx, read reading) error

// sync applies a subscription and, unless it is nil, what ask comes to; about is what its *Unfit
// may tell of beside the subscription, "" for everything. Nothing is
// locked while Stripe is asked. Instead, what was read counts only if nothing else has
// been applied to the account since before it was asked for: so what is older never
// overwrites what is newer.
func (svc *Service) sync(ctx context.Context, id, about string, ask func(context.Context) (more, error)) (err error) {
	defer func() {
		if unfit, ok := errors.AsType[*Unfit](err); ok {
			unfit.Subscription = id
		}
	}()
	owner, err := svc.owner(ctx, id)
	if err != nil {
		return err
	}
	for range maxReads {
		read, err := svc.read(ctx, id, owner.userID)
		if err != nil {
			return err
		}
		if !slices.Contains(owner.customers, read.subscription.CustomerID) {
			return &Unfit{Reason: UnknownCustomer, Object: id}
		}
		if read.foreign && !owner.known {
			return read.stranger(about)
		}
		if changed, err := svc.curb(ctx, owner, read.subscription); err != nil {
			return err
		} else if changed {
			continue
		}
		if owner.state != store.Erased {
			if read.returned, err = svc.returned(ctx, read); err != nil {
				return err
			}
		}
		var then more
		if ask != nil {
			if then, err = ask(ctx); err != nil {
				return err
			}
		}
		stale, err := svc.unlessStale(ctx, &owner, func(tx pgx.Tx) error {
			if err := svc.apply(ctx, tx, owner.userID, read); err != nil || then == nil {
				return err
			}
			return then(ctx, tx, read)
		})
		switch {
		case err != nil:
			return err
		case stale:
			continue
		case owner.state == store.Erased:
			return svc.paidTooLate(ctx, owner.userID, read.paidAt, id)
		}
		return read.problem(about)
	}
	return errBusy
}

// unlessStale applies what was read of the owner's at Stripe in a transaction that locks the account. If
// something else was applied to it since owner was read, it applies nothing, and owner is what holds now.
func (svc *Service) unlessStale(ctx context.Context, owner *account, apply func(pgx.Tx) error) (stale bool, err error) {
	err = pgx.BeginFunc(ctx, svc.pool, func(tx pgx.Tx) error {
		now, err := svc.q.LockAccount(ctx, tx, owner.userID)
		if err != nil {
			return err
		}
		if stale = now.Syncs != owner.syncs || now.State != owner.state; stale {
			owner.syncs, owner.state = now.Syncs, now.State
			return nil
		}
		return apply(tx)
	})
	return stale, pg.Fault(err, nil)
}

func (r reading) problem(about string) error {
	for _, unfit := range r.unfit {
		if about == "" || unfit.Object == about || unfit.Object == r.subscription.ID {
			return unfit
		}
	}
	return nil
}

// owner finds the account in our own tables. Stripe is asked only for whose a new
// subscription is.
func (svc *Service) owner(ctx context.Context, id string) (account, error) {
	known, err := svc.q.AccountOfSubscription(ctx, svc.pool, id)
	if err == nil {
		return account{known.UserID, known.Customers, known.Syncs, known.State, true}, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return account{}, pg.Fault(err, nil)
	}
	s, err := svc.stripe.Subscription(ctx, id)
	if err != nil {
		return account{}, gone(err, id)
	}
	bound, err := svc.q.AccountOfCustomer(ctx, svc.pool, s.CustomerID)
	if errors.Is(err, pgx.ErrNoRows) {
		return svc.claim(ctx, s)
	}
	return account{bound.UserID, []string{s.CustomerID}, bound.Syncs, bound.State, false}, pg.Fault(err, nil)
}

// claim finds the account of a subscription whose customer nobody is: the database may be older
// than the purchase. We have written the account's id into its metadata, and nobody else can.
func (svc *Service) claim(ctx context.Context, s stripe.Subscription) (account, error) {
	prices, err := svc.plans.Prices(ctx)
	if err != nil {
		return account{}, err
	}
	s = s.Only(prices.Sells)
	ours := prices.Sells(s.PriceID, s.ProductID)
	named, err := svc.names(ctx, s, uuid.Nil)
	if err != nil {
		return account{}, err
	}
	userID, err := uuid.Parse(s.UserID)
	switch {
	case !ours && !named:
		return account{}, ErrForeign
	case !ours || err != nil:
		return account{}, &Unfit{Reason: UnknownCustomer, Object: s.ID}
	}
	customer, err := svc.Bind(ctx, userID, s.CustomerID)
	switch {
	case errors.Is(err, erasure.ErrErased):
		return account{}, &Unfit{Reason: ErasedAccount, Object: s.ID}
	case err != nil:
		return account{}, err
	case customer != s.CustomerID: // it has bought as another one since
		return account{}, &Unfit{Reason: UnknownCustomer, Object: s.ID}
	}
	svc.log.WarnContext(ctx, "a customer was bound to the account that its subscription names", "user", userID, "customer", customer, "subscription", s.ID)
	bound, err := svc.q.AccountOfCustomer(ctx, svc.pool, customer)
	return account{bound.UserID, []string{customer}, bound.Syncs, bound.State, false}, pg.Fault(err, nil)
}

func (svc *Service) read(ctx context.Context, id string, owner uuid.UUID) (reading, error) {
	s, err := svc.stripe.Subscription(ctx, id)
	if err != nil {
		return reading{}, gone(err, id)
	}
	invoices, err := svc.stripe.PaidInvoices(ctx, id)
	if err != nil {
		return reading{}, gone(err, id)
	}
	due, err := svc.due(ctx, s, invoices)
	if err != nil {
		return reading{}, err
	}
	prices, err := svc.plans.Prices(ctx)
	if err != nil {
		return reading{}, err
	}
	s = s.Only(prices.Sells)
	read := reading{subscription: s, invoices: invoices, due: due, paid: len(invoices) > 0}
	for _, i := range invoices {
		if i.PaidAt.After(read.paidAt) {
			read.paidAt = i.PaidAt
		}
	}
	read.entitlements, read.unfit = entitlements(s, invoices, prices)
	sold, known := prices.Of(s.PriceID, s.ProductID)
	read.sold = sold
	read.next = following(s, sold, prices)
	switch {
	case s.Live != svc.cfg.Live:
		return reading{}, &Unfit{Reason: WrongMode, Object: id}
	case s.Items != 1 || !s.PeriodStart.Before(s.PeriodEnd):
		read.unfit = append(read.unfit, &Unfit{Reason: OddSubscription, Object: id})
	case !known:
		named, err := svc.names(ctx, s, owner)
		if err != nil {
			return reading{}, err
		}
		read.foreign = !named && !slices.ContainsFunc(invoices, func(i stripe.Invoice) bool { return sellsOurs(i, prices) })
		read.unfit = append(read.unfit, &Unfit{Reason: UnknownPrice, Object: id})
	}
	read.unfit, err = svc.open(ctx, read.unfit)
	return read, err
}

// open are the cases that nobody has accepted.
func (svc *Service) open(ctx context.Context, cases []*Unfit) (open []*Unfit, err error) {
	for _, unfit := range cases {
		accepted, err := svc.q.IsAccepted(ctx, svc.pool, db.IsAcceptedParams{Objects: []string{unfit.Object}, Cause: unfit.Reason})
		if err != nil {
			return nil, pg.Fault(err, nil)
		}
		if !accepted {
			open = append(open, unfit)
		}
	}
	return open, nil
}

// apply writes what was read.
func (svc *Service) apply(ctx context.Context, tx pgx.Tx, userID uuid.UUID, read reading) error {
	if err := svc.write(ctx, tx, userID, read); err != nil {
		return err
	}
	if err := svc.q.CountSync(ctx, tx, userID); err != nil {
		return err
	}
	svc.log.InfoContext(ctx, "subscription applied", "user", userID, "subscription", read.subscription.ID, "status", read.status())
	if err := svc.grant(ctx, tx, userID, read.entitlements); err != nil {
		return err
	}
	for _, back := range read.returned {
		if err := svc.takeBack(ctx, tx, read, back); err != nil {
			return err
		}
	}
	return nil
}

// write keeps a subscription. A price that is not ours is not guessed at: the plan then stays
// the one that it was, and a subscription that never had one of ours is not kept.
func (svc *Service) write(ctx context.Context, tx pgx.Tx, userID uuid.UUID, read reading) error {
	s := read.subscription
	paid := s.Paid()
	row := db.PutSubscriptionParams{
		ID: s.ID, UserID: userID, StripeStatus: s.Status, Status: read.status(), PriceID: s.PriceID,
		PeriodStart: s.PeriodStart, PeriodEnd: s.PeriodEnd, MonthlyAmount: s.Monthly, PeriodAmount: s.PeriodAmount, Currency: s.Currency, Interval: paid.Interval, IntervalCount: int32(min(paid.Count, math.MaxInt32)), CreatedAt: s.Created, Now: svc.clock.Now(),
	}
	if end := s.End(); !end.IsZero() {
		row.CancelAt = &end
	}
	if row.Status == Free && !s.Ended.IsZero() {
		row.EndedAt = &s.Ended
	}
	if read.next.ID != "" {
		if row.NextPlanID, row.NextAt = &read.next.ID, &s.NextAt; s.NextIntervalCount <= 1 {
			row.NextInterval = s.NextInterval // there is no word for several
		}
	}
	if read.due != nil {
		row.DueAmount, row.DueCurrency, row.DueSince, row.DueProcessing = read.due.Amount, read.due.Currency, &read.due.Since, read.due.Processing
	}
	old, err := svc.before(ctx, tx, s.ID)
	if err != nil {
		return err
	}
	row.PlanID = read.sold.ID
	if row.PlanID == "" || s.Items != 1 {
		if old == nil {
			return nil
		}
		row.PlanID = old.PlanID
	}
	if err := svc.q.PutSubscription(ctx, tx, row); err != nil {
		return err
	}
	return svc.tell(ctx, tx, old, row)
}

// grant gives what has not been given yet, the oldest period first. For an invoice that staff have given credits for, those
// are all, also if what it stands for can be told later.
func (svc *Service) grant(ctx context.Context, tx pgx.Tx, userID uuid.UUID, list []entitlement) error {
	facts := make([]string, 0, 2*len(list))
	for _, e := range list {
		facts = append(facts, e.grant.Fact, CaseFact(e.invoice))
	}
	known, err := svc.q.KnownFacts(ctx, tx, facts)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, fact := range known {
		have[fact] = true
	}
	for _, e := range list {
		if have[e.grant.Fact] || have[CaseFact(e.invoice)] || svc.isOver(e) {
			continue
		}
		e.grant.UserID = userID
		if _, err := svc.ledger.Grant(ctx, tx, e.grant); err != nil {
			return err
		}
	}
	return nil
}

// gone turns Stripe's word that it knows no such thing into a reason.
func gone(err error, id string) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, stripe.ErrGone) {
		return &Unfit{Reason: NotAtStripe, Object: id}
	}
	return fmt.Errorf("subscription: %s: %w", id, err)
}
