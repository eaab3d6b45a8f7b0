package ledger

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
)

// Grace is how long a grant outlives its period at most, unless the next ends it:
// Stripe keeps a renewal's invoice as a draft for about an hour and tries a
// failed card again for days.
const Grace = 72 * time.Hour

// Grant describes credits to grant for a business fact.
type Grant struct {
	UserID uuid.UUID
	// Fact is what the grant stands for, such as "sub_1/1772323200/base". It is
	// granted once, permanently, however often it is reported. 1 to 512 bytes.
	Fact string
	// Series connects consecutive grants, such as those of a subscription by its id; ""
	// for none.
	Series string
	// Replaces makes the grant end those of earlier periods in its series that replace, too.
	// One of an earlier period that arrives after it ends at once. A grant that does not
	// replace stands beside them: no other ends it.
	Replaces bool
	// Reference is for audit, such as an invoice and its line.
	Reference string
	// Description is for the person: "Pro plan".
	Description string
	// Amount is in hundredths of a credit, above 0.
	Amount int64
	// PeriodStart and PeriodEnd are what was paid for.
	PeriodStart, PeriodEnd time.Time
	// ExpiresAt is when the grant ends at the latest; zero for Grace after the
	// period.
	ExpiresAt time.Time
	// Paid is what was paid for it; zero where nothing was.
	Paid Payment
}

// Payment is an invoice that was paid.
type Payment struct {
	Invoice string
	// Amount is what was paid of it, taxes included, in hundredths of Currency ("usd").
	Amount   int64
	Currency string
}

// Grant gives credits in the caller's transaction, with their event, and reports
// whether the fact was new. A fact that was granted to another account fails. An account
// that is closed is given nothing, whatever the fact.
//
// It locks the account until the transaction ends: take locks of your own before,
// and touch one account in a transaction, or several in the order of their ids.
func (l *Ledger) Grant(ctx context.Context, tx pgx.Tx, g Grant) (isNew bool, err error) {
	return l.grant(ctx, tx, grantKind, g)
}

func (l *Ledger) grant(ctx context.Context, tx pgx.Tx, kind entryKind, g Grant) (isNew bool, err error) {
	now := l.now()
	if g.ExpiresAt.IsZero() {
		g.ExpiresAt = g.PeriodEnd.Add(Grace)
	}
	a, err := l.operate(ctx, through(tx), g.UserID, now, "SELECT * FROM credits_grant($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
		g.UserID, now, kind, g.Fact, g.Series, g.Replaces, g.Reference, g.Description, g.Amount, g.PeriodStart, g.PeriodEnd, g.ExpiresAt)
	switch {
	case err != nil:
		return false, err
	case a.Outcome == known || a.Outcome == closed:
		return false, nil
	case a.Outcome != done:
		return false, a.unexpected("grant " + g.Fact)
	}
	if g.Paid.Amount > 0 && g.Paid.Currency != "" {
		if err := l.q.PutPayment(ctx, tx, db.PutPaymentParams{Fact: g.Fact, Invoice: g.Paid.Invoice, Amount: g.Paid.Amount, Currency: g.Paid.Currency}); err != nil {
			return false, databaseFault(err)
		}
	}
	l.given(ctx, kind, g, a)
	return true, nil
}

// given counts a new grant and logs it.
func (l *Ledger) given(ctx context.Context, kind entryKind, g Grant, a *answer) {
	l.metrics.moved(kind, g.Amount)
	l.metrics.moved(expireKind, value(a.Expired))
	l.log.InfoContext(ctx, "credits granted", "user", g.UserID, "fact", g.Fact, "amount", g.Amount, "ended", value(a.Expired))
}
