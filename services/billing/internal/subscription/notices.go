package subscription

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/billing/internal/notice"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
)

// Notices tells people; *notice.Service does it.
type Notices interface {
	Note(ctx context.Context, tx pgx.Tx, n notice.Notice) error
}

// tell notes what the person is to be told of a subscription that was as old says, nil for one that
// was not known.
func (svc *Service) tell(ctx context.Context, tx pgx.Tx, old *db.GetSubscriptionRow, row db.PutSubscriptionParams) error {
	if svc.notices == nil {
		return nil
	}
	for _, n := range notices(old, row) {
		if err := svc.notices.Note(ctx, tx, n); err != nil {
			return err
		}
	}
	return nil
}

// notices are what a change of a subscription means to its person. What is overdue and what is set
// to change are told however they came to be known; what has changed only of what was known before.
func notices(old *db.GetSubscriptionRow, now db.PutSubscriptionParams) (list []notice.Notice) {
	note := func(kind email.Kind, key string, says notice.Says) {
		says.Subscription = now.ID
		list = append(list, notice.Notice{UserID: now.UserID, Kind: kind, Key: key, Says: says})
	}
	if now.Status == PastDue && now.DueSince != nil && !now.DueProcessing {
		note(email.PaymentFailed, fmt.Sprintf("payment/%s/%d", now.ID, now.DueSince.Unix()),
			notice.Says{Plan: now.PlanID, Amount: stripe.Hundredths(now.DueAmount, now.DueCurrency), Currency: now.DueCurrency})
	}
	if now.Status == Active && now.NextPlanID != nil && (*now.NextPlanID != now.PlanID || now.NextInterval != "") { // for several there is no word
		note(email.PlanChanging, fmt.Sprintf("changing/%s/%s/%s/%d", now.ID, *now.NextPlanID, now.NextInterval, now.NextAt.Unix()),
			notice.Says{Plan: *now.NextPlanID, Was: now.PlanID, At: *now.NextAt, Interval: now.NextInterval, WasInterval: interval(now)})
	}
	switch {
	case old == nil:
	case now.Status == Free && !slices.Contains([]string{Free, Processing, Incomplete}, old.Status): // those had not begun, or are over
		note(email.PlanEnded, "ended/"+now.ID, notice.Says{Plan: old.PlanID})
	case now.Status != Free && old.PlanID != now.PlanID:
		note(email.PlanChanged, fmt.Sprintf("plan/%s/%s/%d", now.ID, now.PlanID, now.PeriodStart.Unix()), notice.Says{Plan: now.PlanID, Was: old.PlanID})
	}
	return list
}

// interval is how often a subscription is paid: "month", or "3 months".
func interval(row db.PutSubscriptionParams) string {
	if row.IntervalCount > 1 {
		return fmt.Sprintf("%d %ss", row.IntervalCount, row.Interval)
	}
	return row.Interval
}

// before is what is known of a subscription; nil for a new one.
func (svc *Service) before(ctx context.Context, tx pgx.Tx, id string) (*db.GetSubscriptionRow, error) {
	row, err := svc.q.GetSubscription(ctx, tx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}
