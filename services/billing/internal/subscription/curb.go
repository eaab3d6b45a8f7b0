package subscription

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
)

// curb ends a subscription that is about to renew though its account may not, and lets renew again one
// of a disabled account that an admin lets: package standing has done that to what there was, and this is for
// what came after, such as a checkout that was paid in a page opened before, and for what others have done who
// did not know better, such as a replica of the version before. It reports whether it has changed anything.
func (svc *Service) curb(ctx context.Context, owner account, s stripe.Subscription) (changed bool, err error) {
	switch {
	case StatusOf(s) == Free:
		return false, nil
	case owner.state == store.Erased:
		if err := svc.stripe.CancelSubscription(ctx, s.ID); err != nil && !errors.Is(err, stripe.ErrGone) {
			return false, fmt.Errorf("subscription: %s: %w", s.ID, err)
		}
		svc.log.ErrorContext(ctx, "a subscription of an account that is no more was cancelled", "user", owner.userID, "subscription", s.ID)
		return true, nil
	case owner.state == store.Disabled && s.Status != Incomplete: // Stripe sets no end of one that was never paid
		return svc.followRenewal(ctx, owner.userID, s)
	}
	return false, nil
}

// followRenewal has the subscription of a disabled account end with its period, or renew. It asks Stripe with
// the account's state locked. So nobody enables the account, and no admin says something else, in between.
func (svc *Service) followRenewal(ctx context.Context, userID uuid.UUID, s stripe.Subscription) (changed bool, err error) {
	err = pgx.BeginFunc(ctx, svc.pool, func(tx pgx.Tx) error {
		row, err := svc.q.StateForStripe(ctx, tx, userID)
		if err != nil || row.State != store.Disabled {
			return err
		}
		switch {
		case !row.Renews && s.Renews():
			if err := svc.stripe.StopRenewal(ctx, s); err != nil {
				return gone(err, s.ID)
			}
		case row.Renews && s.Scheduled() && s.Stopped:
			// It may have been resumed since it was read, and its owner may have cancelled it then.
			now, err := svc.stripe.Subscription(ctx, s.ID)
			if err != nil || !now.Scheduled() || !now.Stopped {
				return gone(err, s.ID)
			}
			if err := svc.stripe.ResumeRenewal(ctx, now); err != nil {
				return gone(err, s.ID)
			}
		default:
			return nil
		}
		changed = true
		svc.log.WarnContext(ctx, "the subscription of a disabled account follows what was decided about it", "user", userID, "subscription", s.ID, "renews", row.Renews)
		return nil
	})
	return changed, err
}

// paidTooLate is for what an erased account has paid: an *Unfit if its person was gone by then, and has to get it back.
func (svc *Service) paidTooLate(ctx context.Context, userID uuid.UUID, at time.Time, object string) error {
	since, err := svc.q.ErasedSince(ctx, svc.pool, userID)
	if err != nil {
		return pg.Fault(err, nil)
	}
	if at.After(since) {
		return &Unfit{Reason: ErasedAccount, Object: object}
	}
	return nil
}
