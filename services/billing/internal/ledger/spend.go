package ledger

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/fault"
)

// Faults of spending.
var (
	ErrInsufficient = fault.New(fault.Conflict, "insufficient_credits", "There are not enough credits for this.")
	ErrKeyReused    = fault.New(fault.Conflict, "idempotency_key_reused", "This idempotency key was used for something else before.")
	ErrNoHold       = fault.New(fault.NotFound, "hold_not_found", "There is no such hold.")
	ErrHoldExpired  = fault.New(fault.Conflict, "hold_expired", "This hold has expired. The credits went back to the account.")
	ErrHoldSettled  = fault.New(fault.Conflict, "hold_settled", "This hold was settled with another amount before.")
	ErrAboveHold    = fault.New(fault.Invalid, "amount_above_hold", "The amount is higher than what the hold has set aside.").
			Field("amount", "The amount is higher than what the hold has set aside.")
)

// Spend is what an account wants to spend or to set aside.
type Spend struct {
	UserID uuid.UUID
	// Key is the caller's own for this one spend, scoped to the account. With the
	// same key the same spend happens once and is answered the same each time;
	// another spend is ErrKeyReused.
	Key string
	// Amount is in hundredths of a credit, above 0.
	Amount int64
	// Description is for the person.
	Description string
}

// Consumed is a spend that happened.
type Consumed struct {
	// Entry is its number in the account's ledger.
	Entry   int64
	Credits Credits
}

// Consume spends at once, of the grants that end first. ErrInsufficient leaves
// everything as it was, the key too.
func (l *Ledger) Consume(ctx context.Context, s Spend) (Consumed, error) {
	a, err := l.interactive(ctx, s.UserID, "SELECT * FROM credits_consume($1, $2, $3, $4, $5)", s.Key, s.Amount, s.Description)
	if err == nil {
		err = l.spent("consume", a)
	}
	if err != nil {
		return Consumed{}, err
	}
	if a.Outcome == done {
		l.metrics.moved(consumeKind, s.Amount)
	}
	return Consumed{Entry: value(a.Entry), Credits: a.credits()}, nil
}

// Held are credits that were set aside.
type Held struct {
	ID uuid.UUID
	// ExpiresAt is when they are released automatically.
	ExpiresAt time.Time
	Credits   Credits
}

// Hold sets credits aside until Settle or for lifetime, in whole seconds.
func (l *Ledger) Hold(ctx context.Context, s Spend, lifetime time.Duration) (Held, error) {
	a, err := l.interactive(ctx, s.UserID, "SELECT * FROM credits_hold($1, $2, $3, $4, $5, $6, $7)",
		s.Key, s.Amount, s.Description, int32(lifetime/time.Second), uuid.New())
	if err == nil {
		err = l.spent("hold", a)
	}
	if err != nil {
		return Held{}, err
	}
	return Held{ID: value(a.HoldID), ExpiresAt: value(a.ExpiresAt).UTC(), Credits: a.credits()}, nil
}

func (l *Ledger) spent(method string, a *answer) error {
	switch a.Outcome {
	case done, replayed:
		return nil
	case insufficient:
		l.metrics.refusals.WithLabelValues(method).Inc()
		return ErrInsufficient
	case reused:
		return ErrKeyReused
	default:
		return a.unexpected(method)
	}
}

// Settle ends the account's hold: cost is taken, 0 for work that failed, and the
// rest goes back. With the same cost it can be repeated and answers the same.
func (l *Ledger) Settle(ctx context.Context, userID, hold uuid.UUID, cost int64) (Credits, error) {
	a, err := l.interactive(ctx, userID, "SELECT * FROM credits_settle($1, $2, $3, $4)", hold, cost)
	if err != nil {
		return Credits{}, err
	}
	switch a.Outcome {
	case done:
		l.metrics.moved(consumeKind, cost)
		l.metrics.moved(expireKind, value(a.Expired))
		l.metrics.moved(clawbackKind, value(a.Clawed))
		return a.credits(), nil
	case replayed:
		return a.credits(), nil
	case noHold:
		return Credits{}, ErrNoHold
	case expired:
		return Credits{}, ErrHoldExpired
	case settled:
		return Credits{}, ErrHoldSettled
	case tooMuch:
		return Credits{}, ErrAboveHold
	default:
		return Credits{}, a.unexpected("settle")
	}
}
