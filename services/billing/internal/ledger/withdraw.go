package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/fault"
)

// ErrNoGrant says that a grant to take back was never given.
var ErrNoGrant = fault.New(fault.NotFound, "grant_not_found", "There is no such grant.")

// Clawback takes back a grant whose payment was refunded, or whose dispute was lost.
type Clawback struct {
	// Fact is the reason, such as a refund's id. It is applied once, permanently.
	Fact string
	// Grant is the fact of the grant.
	Grant string
	// Amount is in hundredths of a credit, above 0; more than the grant gave
	// means all of it.
	Amount int64
	// Description is for the person: "Refund".
	Description string
}

// Clawed is the result of a clawback.
type Clawed struct {
	// New is false when the fact was applied before; the rest is as it was then, or
	// nothing when it is void.
	New bool
	// Taken is what was taken back at once.
	Taken int64
	// Missing was used or held. It is recorded as owed and taken later from what holds
	// release to this grant.
	Missing int64
}

// Clawback takes back what is left of a grant in the caller's transaction. The
// balance cannot become negative. ErrNoGrant when there is no such grant. Locks
// like Grant.
func (l *Ledger) Clawback(ctx context.Context, tx pgx.Tx, c Clawback) (Clawed, error) {
	userID, err := l.q.GrantOwner(ctx, tx, c.Grant)
	if errors.Is(err, pgx.ErrNoRows) {
		return Clawed{}, ErrNoGrant
	}
	if err != nil {
		return Clawed{}, databaseFault(err)
	}
	now := l.now()
	a, err := l.operate(ctx, through(tx), userID, now, "SELECT * FROM credits_clawback($1, $2, $3, $4, $5, $6)",
		userID, now, c.Fact, c.Grant, c.Amount, c.Description)
	switch {
	case err != nil:
		return Clawed{}, err
	case a.Outcome == void:
		return Clawed{}, nil
	case a.Outcome != done && a.Outcome != known:
		return Clawed{}, a.unexpected("clawback " + c.Fact)
	}
	withdrawn, err := l.q.Withdrawal(ctx, tx, c.Fact)
	if err != nil {
		return Clawed{}, databaseFault(err)
	}
	clawed := Clawed{New: a.Outcome == done, Taken: withdrawn.Taken, Missing: withdrawn.Wanted - withdrawn.Taken}
	if !clawed.New {
		return clawed, nil
	}
	l.metrics.moved(clawbackKind, clawed.Taken)
	l.metrics.missing.Add(credits(clawed.Missing))
	l.log.InfoContext(ctx, "credits clawed back", "user", userID, "grant", c.Grant, "fact", c.Fact, "taken", clawed.Taken, "missing", clawed.Missing)
	return clawed, nil
}

// Given is what a grant gave, in hundredths of a credit, and its reference, in the caller's transaction. ErrNoGrant
// when there is no such grant.
func (l *Ledger) Given(ctx context.Context, tx pgx.Tx, fact string) (amount int64, reference string, err error) {
	row, err := l.q.Given(ctx, tx, fact)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "", ErrNoGrant
	}
	return row.Amount, row.Reference, databaseFault(err)
}

// Adjustment is a change that staff make by hand.
type Adjustment struct {
	UserID uuid.UUID
	// Fact is the reason, such as a ticket's number. It is applied once, permanently:
	// it gives or takes, not both.
	Fact string
	// Amount is in hundredths of a credit; negative takes, of the grants that end
	// first.
	Amount int64
	// ExpiresAt is when added credits end.
	ExpiresAt time.Time
	// Description is for the person.
	Description string
}

// Adjust changes an account in the caller's transaction and reports whether the
// fact was new. ErrInsufficient when more is to be taken than there is, ErrClosed when
// credits are to be given to a closed account. Locks like Grant.
func (l *Ledger) Adjust(ctx context.Context, tx pgx.Tx, j Adjustment) (isNew bool, err error) {
	now := l.now()
	a, err := l.operate(ctx, through(tx), j.UserID, now, "SELECT * FROM credits_adjust($1, $2, $3, $4, $5, $6)",
		j.UserID, now, j.Fact, j.Description, j.Amount, j.ExpiresAt)
	switch {
	case err != nil:
		return false, err
	case a.Outcome == known:
		return false, nil
	case a.Outcome == insufficient:
		return false, ErrInsufficient
	case a.Outcome == closed:
		return false, ErrClosed
	case a.Outcome != done:
		return false, a.unexpected("adjust " + j.Fact)
	}
	if j.Amount > 0 {
		l.given(ctx, adjustKind, Grant{UserID: j.UserID, Fact: j.Fact, Amount: j.Amount}, a)
		return true, nil
	}
	l.metrics.moved(adjustKind, -j.Amount)
	l.log.InfoContext(ctx, "credits deducted", "user", j.UserID, "fact", j.Fact, "amount", -j.Amount)
	return true, nil
}
