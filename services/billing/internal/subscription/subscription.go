// Package subscription keeps subscriptions in step with Stripe, and grants and claws
// back the credits that were paid for.
//
// Whatever the occasion (an event, a return from the checkout, the reconciliation),
// the subscription and its paid invoices are read from Stripe again and applied as a
// whole. So events may be late, lost, duplicated or out of order.
package subscription

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
)

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	Subscription(ctx context.Context, id string) (stripe.Subscription, error)
	PaidInvoices(ctx context.Context, subscription string) ([]stripe.Invoice, error)
	OpenInvoices(ctx context.Context, subscription string) ([]stripe.Invoice, error)
	PaymentProcessing(ctx context.Context, invoice string) (bool, error)
	ChargesOf(ctx context.Context, invoice string) ([]stripe.Charge, error)
	InvoicesOfPayment(ctx context.Context, intent string) ([]stripe.Invoice, error)
	Charge(ctx context.Context, id string) (stripe.Charge, error)
	Dispute(ctx context.Context, id string) (stripe.Dispute, error)
	DisputesOf(ctx context.Context, charge string) ([]stripe.Dispute, error)
	FraudWarning(ctx context.Context, id string) (stripe.FraudWarning, error)
	Checkout(ctx context.Context, id string) (stripe.Checkout, error)
	CheckoutOfPayment(ctx context.Context, intent string) (_ stripe.Checkout, ok bool, err error)
	CustomerDeleted(ctx context.Context, id string) (bool, error)
	StopRenewal(ctx context.Context, s stripe.Subscription) error
	ResumeRenewal(ctx context.Context, s stripe.Subscription) error
	CancelSubscription(ctx context.Context, id string) error
}

// AccountGuard tells whether what Stripe does not know has ever been there; *stripeaccount.Guard does it.
type AccountGuard interface {
	// Confirm asks whether the key is of the account that the database has. It fails when it is
	// not, and same is false when that cannot be told.
	Confirm(ctx context.Context) (same bool, err error)
}

// Unfit says why something of Stripe's cannot be applied, now or later: somebody
// has to look.
type Unfit struct {
	// Reason is a stable lower_snake_case code.
	Reason string
	// Object is what it is about.
	Object string
	// Subscription is the one that it belongs to; "" where that is not known.
	Subscription string
}

// The reasons.
const (
	NotAtStripe      = "not_at_stripe"
	UnknownCustomer  = "unknown_customer"
	UnknownPrice     = "unknown_price"
	OddQuantity      = "odd_quantity"
	OddInvoice       = "odd_invoice"
	OddSubscription  = "odd_subscription"
	WrongMode        = "wrong_mode"
	NoSubscription   = "no_subscription"
	ErasedAccount    = "erased_account"
	FraudWarning     = "fraud_warning"
	NotFinalized     = "not_finalized"
	TaxStopped       = "tax_stopped"
	AttemptsExceeded = "attempts_exceeded"
)

// Reasons are all of them.
func Reasons() []string {
	return []string{NotAtStripe, UnknownCustomer, UnknownPrice, OddQuantity, OddInvoice, OddSubscription, WrongMode, NoSubscription, ErasedAccount, FraudWarning, NotFinalized, TaxStopped, AttemptsExceeded}
}

// Error makes Unfit an error.
func (u *Unfit) Error() string { return "cannot be applied: " + u.Reason + ": " + u.Object }

// applied reports whether the rest of the subscription is ours, and was applied.
func (u *Unfit) applied() bool {
	return slices.Contains([]string{UnknownPrice, OddQuantity, OddInvoice, OddSubscription}, u.Reason)
}

// Current is the subscription that an account is shown.
type Current struct {
	// Status is "active", "cancelled", "past_due", "processing", or Stripe's word for another.
	Status string
	Plan   plan.Plan
	// PeriodEnd is when it renews or, cancelled, ends.
	PeriodEnd, CreatedAt time.Time
	Paid                 plan.Paid
	// PeriodCredits are what each paid period gives, in hundredths; 0 where nobody has said.
	PeriodCredits int64
	// Later are the prices on sale to which a change waits for the next period.
	Later []string
	// Next is the name of the plan that it changes to at NextAt, and NextInterval how often that is
	// paid; "" when it stays.
	Next, NextInterval string
	NextAt             time.Time
	// AfterTrial is what each interval costs, before discounts and taxes, once the trial is over, of the
	// plan that it changes to then, if it does; nil without a trial, and for one that ends with it.
	AfterTrial *Price
	// Due is what is to be paid while a payment is overdue or on its way; nil otherwise.
	Due *Due
}

// Price is an amount in the smallest unit of Currency ("usd").
type Price struct {
	Amount   int64
	Currency string
}

// Due is money that people owe.
type Due struct {
	// Amount is in the smallest unit of Currency ("usd").
	Amount   int64
	Currency string
	Since    time.Time
	// Processing says that it is on its way, and nobody knows yet whether it will come.
	Processing bool
}

// Service keeps subscriptions in step with Stripe. Safe for concurrent use.
type Service struct {
	pool   *pgxpool.Pool
	q      *db.Queries
	stripe Stripe
	guard  AccountGuard
	plans  *plan.Catalog
	ledger *ledger.Ledger
	// notices is nil where nobody is told anything.
	notices Notices
	clock   clock.Clock
	log     *slog.Logger
	cfg     Config
}

// Config bounds the work.
type Config struct {
	// Live is whether the key moves real money.
	Live bool
	// Deadline bounds what a person waits for the database.
	Deadline time.Duration
}

// New returns a service on a migrated database.
func New(pool *pgxpool.Pool, api Stripe, guard AccountGuard, plans *plan.Catalog, credits *ledger.Ledger, notices Notices, clk clock.Clock, cfg Config, log *slog.Logger) *Service {
	return &Service{pool: pool, q: db.New(), stripe: api, guard: guard, plans: plans, ledger: credits, notices: notices, clock: clk, log: log.With("part", "subscription"), cfg: cfg}
}

// Current returns the account's subscription; ok is false on the free plan.
func (svc *Service) Current(ctx context.Context, userID uuid.UUID) (c Current, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	rows, err := svc.q.ListSubscriptions(ctx, svc.pool, userID)
	if err != nil {
		return Current{}, false, pg.Fault(err, nil)
	}
	row, ok := current(rows)
	if !ok {
		return Current{}, false, nil
	}
	prices, err := svc.plans.Prices(ctx)
	if err != nil {
		return Current{}, false, err
	}
	sold, known := prices.At(row.PriceID, row.PlanID)
	if !known {
		return Current{}, false, fmt.Errorf("subscription: no plan %q", row.PlanID)
	}
	paid := plan.PaidEach(row.Interval, int64(row.IntervalCount), row.PeriodAmount, row.Currency)
	c = Current{
		Status: row.Status, Plan: sold.Plan, PeriodEnd: shownEnd(row), CreatedAt: row.CreatedAt.UTC(), Paid: paid,
		PeriodCredits: sold.PeriodCredits(paid.Months()), Later: prices.Later(sold.ID, paid),
	}
	trial := row.StripeStatus == "trialing" && row.Status == Active
	if trial {
		c.AfterTrial = priceOf(paid)
	}
	if row.DueSince != nil {
		c.Due = &Due{Amount: row.DueAmount, Currency: row.DueCurrency, Since: row.DueSince.UTC(), Processing: row.DueProcessing}
	}
	if row.NextPlanID != nil {
		var next plan.Plan
		next, _, err = svc.plans.ByID(ctx, *row.NextPlanID)
		c.Next, c.NextAt, c.NextInterval = next.Name, row.NextAt.UTC(), row.NextInterval
		if trial && row.NextAt.Equal(row.PeriodEnd) {
			c.AfterTrial = listPrice(next, row.NextInterval)
		}
	}
	return c, err == nil, err
}

// listPrice is what each interval of a plan costs; nil where that is not known.
func listPrice(p plan.Plan, interval string) *Price {
	switch {
	case interval == plan.Year && p.PriceYearly > 0:
		return &Price{p.PriceYearly, "usd"}
	case interval == plan.Month && p.PriceMonthly > 0:
		return &Price{p.PriceMonthly, "usd"}
	}
	return nil
}

// priceOf is what is charged each time; nil where that is not known.
func priceOf(paid plan.Paid) *Price {
	if paid.Amount == 0 {
		return nil
	}
	return &Price{paid.Amount, paid.Currency}
}
