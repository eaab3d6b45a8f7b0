package subscription

import (
	"context"
	"errors"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
)

// Warned holds what is left of the credits of a charge that its card's issuer suspects, and tells staff by an *Unfit,
// until they have decided about that, or until the money was wholly refunded or is disputed. That takes the credits by a
// rule of its own: at once here, so that they cannot be spent in between.
// The warning is asked for again with the subscription, and what holds last counts.
func (svc *Service) Warned(ctx context.Context, warningID string) error {
	warning, err := svc.stripe.FraudWarning(ctx, warningID)
	if err != nil {
		return gone(err, warningID)
	}
	charge, err := svc.stripe.Charge(ctx, warning.ChargeID)
	if err != nil {
		return gone(err, warning.ChargeID)
	}
	waits := false
	id, err := svc.withdraw(ctx, charge, func(ctx context.Context) (list []withdrawal, err error) {
		waits, list, err = svc.warned(ctx, warningID)
		return list, err
	})
	err = unlessErased(err)
	if _, odd := errors.AsType[*Unfit](err); waits && (err == nil || odd) {
		// Whatever else is wrong is told by what it is about. A decision about that must not end this one.
		return &Unfit{Reason: FraudWarning, Object: warningID, Subscription: id}
	}
	return err
}

// Suspected reports whether a warning is one that somebody has to act upon: the money was neither wholly refunded, nor is it
// disputed.
func (svc *Service) Suspected(ctx context.Context, warningID string) (bool, error) {
	warning, err := svc.stripe.FraudWarning(ctx, warningID)
	return warning.Actionable, gone(err, warningID)
}

// warned reads a warning, whether staff have to look at it, and what of the credits goes.
func (svc *Service) warned(ctx context.Context, id string) (waits bool, list []withdrawal, err error) {
	warning, err := svc.stripe.FraudWarning(ctx, id)
	if err != nil {
		return false, nil, gone(err, id)
	}
	charge, err := svc.stripe.Charge(ctx, warning.ChargeID)
	if err != nil {
		return false, nil, gone(err, warning.ChargeID)
	}
	held := withdrawal{fact: "warning/" + id, description: "Payment under review", amount: charge.Amount, reversible: true}
	if warning.Actionable {
		decided, err := svc.q.IsAccepted(ctx, svc.pool, db.IsAcceptedParams{Objects: []string{id}, Cause: FraudWarning})
		if err != nil || !decided {
			return true, []withdrawal{held}, pg.Fault(err, nil)
		}
	} else if list, err = svc.wentBack(ctx, charge); err != nil {
		return false, nil, err
	}
	held.description, held.void = "Payment that was reviewed", true
	return false, append(list, held), nil
}

// wentBack is what refunds and disputes withdraw of a charge.
func (svc *Service) wentBack(ctx context.Context, charge stripe.Charge) ([]withdrawal, error) {
	disputes, err := svc.stripe.DisputesOf(ctx, charge.ID)
	list := refunds(charge)
	for _, d := range disputes {
		list = append(list, moved(d)...)
	}
	return list, gone(err, charge.ID)
}
