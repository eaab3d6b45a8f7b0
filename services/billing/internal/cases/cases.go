// Package cases is what of Stripe's cannot be applied and waits for somebody's decision, and what
// is decided: by staff on the Billing page and by operators at the command line.
package cases

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// most is how many cases are listed.
const most = 100

// Decision is what is done about a case. All but Retry close it for good: what is then wrong with the same object for
// another reason is a case of its own.
type Decision string

// The decisions.
const (
	// Accept leaves it as it is: it was settled, for example by a refund.
	Accept Decision = "accept"
	// Grant gives its account credits for what was paid.
	Grant Decision = "grant"
	// Ignore leaves it as it is: it is none of ours.
	Ignore Decision = "ignore"
	// Retry has its parked events applied again, after the cause was mended.
	Retry Decision = "retry"
)

var records = map[Decision]audit.Name{Accept: staff.CaseAccepted, Grant: staff.CaseGranted, Ignore: staff.CaseIgnored, Retry: staff.CaseRetried}

// Known reports whether d is one of them.
func (d Decision) Known() bool { return records[d] != "" }

// Why a decision is refused.
var (
	ErrUnknown   = fault.New(fault.NotFound, "case_not_found", "Nothing waits for a decision there.")
	ErrDecided   = fault.New(fault.Conflict, "case_decided", "This was decided otherwise before, and that decision stays.")
	ErrGiven     = fault.New(fault.Conflict, "case_granted", "Credits were given for this before, and are given once. Please change them on the person's page.")
	ErrChanged   = fault.New(fault.Conflict, "case_changed", "This waits for a decision for another reason now. Please look at it again.")
	ErrNobody    = fault.New(fault.Conflict, "case_without_account", "Nobody knows whose this is, so there is no account to give credits to.")
	ErrNoPayment = fault.New(fault.Conflict, "case_not_invoice", "Credits are given here for an invoice only, because they go back with its money. Please give them on the person's page.")
)

// Case is something of Stripe's that cannot be applied.
type Case struct {
	// Object is its id at Stripe.
	Object string
	// Reason is one of subscription.Reasons: of several, the oldest. The others are cases after it is decided.
	Reason string
	// SubscriptionID is the subscription that it belongs to; "" where that is not known.
	SubscriptionID string
	// UserID is whose it is; uuid.Nil where that is not known.
	UserID uuid.UUID
	Since  time.Time
	// Events is how many events about it are parked.
	Events int64
	// Grantable says that Grant may be decided: it is an invoice's, whose money takes the credits back, of an account that is
	// known and was not deleted, and nothing was given for it yet.
	Grantable bool
}

// Order is a decision about a case.
type Order struct {
	Object   string
	Decision Decision
	// Seen is the case's reason, as whoever decides has seen it. "" takes the one that it has now, unless it was decided
	// about the object before: a call that is repeated must not close what nobody has looked at.
	Seen string
	// Credits is what Grant gives, in hundredths.
	Credits int64
	// Reason is for the audit log.
	Reason string
}

// Service lists cases and decides them. Safe for concurrent use.
type Service struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	queue    *webhook.Queue
	ledger   staff.Ledger
	clock    clock.Clock
	deadline time.Duration
}

// New returns a service whose methods take no longer than deadline.
func New(pool *pgxpool.Pool, queue *webhook.Queue, credits staff.Ledger, clk clock.Clock, deadline time.Duration) *Service {
	return &Service{pool: pool, q: db.New(), queue: queue, ledger: credits, clock: clk, deadline: deadline}
}

// List returns the hundred oldest cases and how many there are.
func (s *Service) List(ctx context.Context) (list []Case, total int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.ListCases(ctx, s.pool, db.ListCasesParams{Gift: subscription.CaseFact(""), Count: most})
	for _, row := range rows {
		total = row.Total
		list = append(list, caseOf(row))
	}
	return list, total, pg.Fault(err, nil)
}

// wasPaid reports whether a case is about an invoice that somebody may have paid.
func wasPaid(object, reason string) bool {
	return strings.HasPrefix(object, "in_") && reason != subscription.NotFinalized
}

func caseOf(row db.ListCasesRow) Case {
	return Case{
		Object: row.Object, Reason: row.Reason, SubscriptionID: row.SubscriptionID, UserID: row.UserID, Since: row.Since.UTC(), Events: row.Events,
		Grantable: wasPaid(row.Object, row.Reason) && row.UserID != uuid.Nil && !row.Given && !row.Closed,
	}
}

// Decide does what was ordered and records who did it and why, all in one transaction. The events
// that are applied again are returned. A decision about an object again changes nothing, and isNew
// is false, whatever was decided about other reasons and waits by then; so does Retry where nothing waits.
// It fails with ErrUnknown for what else waits for no decision, ErrDecided after another one about the same reason, ErrChanged
// if the case has another reason than the one that was seen, and for Grant with ErrNoPayment for what is no invoice that was paid,
// ErrNobody, ErrGiven after another amount or for another reason, or as the ledger refuses.
func (s *Service) Decide(ctx context.Context, o Order) (isNew bool, events []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		isNew, events, err = s.decide(ctx, tx, o)
		return err
	})
	return isNew, events, pg.Fault(err, nil)
}

func (s *Service) decide(ctx context.Context, tx pgx.Tx, o Order) (isNew bool, events []string, err error) {
	found, err := s.q.ListCases(ctx, tx, db.ListCasesParams{Object: o.Object, Gift: subscription.CaseFact(""), Count: 1})
	if err == nil && o.Decision != Retry { // of which nothing is kept
		var decided bool
		if decided, err = s.decided(ctx, tx, o, o.Seen); decided {
			return false, nil, nil
		}
		if errors.Is(err, ErrDecided) && o.Seen == "" && len(found) > 0 {
			err = ErrChanged
		}
	}
	switch {
	case err != nil:
		return false, nil, err
	case len(found) == 0 && o.Decision == Retry: // it was tried, or decided about
		return false, nil, nil
	case len(found) == 0:
		return false, nil, ErrUnknown
	case o.Seen != "" && o.Seen != found[0].Reason:
		return false, nil, ErrChanged
	case o.Decision == Grant && !wasPaid(o.Object, found[0].Reason):
		return false, nil, ErrNoPayment
	}
	action := audit.Action{Name: records[o.Decision], Subject: o.Object, Reason: o.Reason}
	if o.Decision != Retry {
		n, err := s.q.DecideCase(ctx, tx, db.DecideCaseParams{Object: o.Object, Cause: found[0].Reason, Decision: string(o.Decision), Reason: o.Reason, Now: s.clock.Now()})
		if err == nil && n == 0 { // a decision has just been committed: this one, or somebody else's
			_, err = s.decided(ctx, tx, o, found[0].Reason)
			return false, nil, err
		}
		if err != nil {
			return false, nil, err
		}
	}
	if o.Decision == Grant {
		if err := s.grant(ctx, tx, caseOf(found[0]), o); err != nil {
			return false, nil, err
		}
		action.After = audit.State{"account": found[0].UserID.String(), "credits": staff.Decimal(o.Credits)}
	}
	if err := s.q.DropOddCase(ctx, tx, db.DropOddCaseParams{Object: o.Object, Reason: found[0].Reason}); err != nil {
		return false, nil, err
	}
	parked, err := s.q.ParkedAbout(ctx, tx, o.Object)
	if err == nil && len(parked) > 0 {
		events, err = s.queue.Requeue(ctx, tx, parked, "")
	}
	if err != nil {
		return false, nil, err
	}
	return true, events, staff.Record(ctx, tx, action)
}

// decided reports whether it was decided so before, about a cause, or about any if that is "". It fails with ErrDecided
// if it was decided otherwise, and with ErrGiven if it gave another amount.
func (s *Service) decided(ctx context.Context, tx pgx.Tx, o Order, cause string) (bool, error) {
	before, err := s.q.DecisionsOf(ctx, tx, db.DecisionsOfParams{Object: o.Object, Cause: cause})
	switch {
	case err != nil || len(before) == 0:
		return false, err
	case !slices.Contains(before, string(o.Decision)):
		return false, ErrDecided
	case o.Decision != Grant:
		return true, nil
	}
	given, err := s.q.AdjustedBy(ctx, tx, subscription.CaseFact(o.Object))
	if err == nil && given != o.Credits {
		err = ErrGiven
	}
	return err == nil, err
}

// grant gives credits to the account of a case, once for each object.
func (s *Service) grant(ctx context.Context, tx pgx.Tx, c Case, o Order) error {
	if c.UserID == uuid.Nil {
		return ErrNobody
	}
	isNew, err := s.ledger.Adjust(ctx, tx, ledger.Adjustment{
		UserID: c.UserID, Fact: subscription.CaseFact(c.Object), Amount: o.Credits, ExpiresAt: s.clock.Now().Add(staff.GiftLasts), Description: staff.Given,
	})
	if err == nil && !isNew { // for another reason: what was given stays
		err = ErrGiven
	}
	if err != nil {
		return err
	}
	return staff.Adjusted(ctx, tx, c.UserID, o.Credits, o.Reason)
}
