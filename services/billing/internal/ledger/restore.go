package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
)

// Restoration voids a clawback: the refund did not happen after all.
type Restoration struct {
	// Fact is the clawback's. It is permanently void, even if it arrives later.
	Fact string
	// Grant is the fact of the grant.
	Grant string
	// Description is for the person.
	Description string
}

// Restored is the result of a restoration.
type Restored struct {
	// New is false when the fact was void before; the rest is as it was then.
	New bool
	// Given is what the account got back. What had not been taken, because it was used
	// or another clawback asks for it too, is not in it.
	Given int64
}

// Restore gives back what a clawback took, in the caller's transaction: to the grant,
// or, if that has ended, in a new grant that lasts as long as the period did.
// ErrNoGrant when there is no such grant. Locks like Grant.
func (l *Ledger) Restore(ctx context.Context, tx pgx.Tx, r Restoration) (Restored, error) {
	userID, err := l.q.GrantOwner(ctx, tx, r.Grant)
	if errors.Is(err, pgx.ErrNoRows) {
		return Restored{}, ErrNoGrant
	}
	if err != nil {
		return Restored{}, databaseFault(err)
	}
	now := l.now()
	a, err := l.operate(ctx, through(tx), userID, now, "SELECT * FROM credits_restore($1, $2, $3, $4, $5)", userID, now, r.Fact, r.Grant, r.Description)
	switch {
	case err != nil:
		return Restored{}, err
	case a.Outcome != done && a.Outcome != known:
		return Restored{}, a.unexpected("restore " + r.Fact)
	}
	row, err := l.q.Restoration(ctx, tx, r.Fact)
	if err != nil {
		return Restored{}, databaseFault(err)
	}
	restored := Restored{New: a.Outcome == done, Given: row.Given}
	if !restored.New {
		return restored, nil
	}
	l.log.InfoContext(ctx, "credits that were taken back for a refund are given back", "user", userID, "grant", r.Grant, "fact", r.Fact, "given", row.Given)
	if !row.Ended || row.Given == 0 {
		l.metrics.moved(adjustKind, row.Given)
		return restored, nil
	}
	end := now.Add(row.PeriodEnd.Sub(row.PeriodStart))
	_, err = l.grant(ctx, tx, adjustKind, Grant{
		UserID: userID, Fact: r.Fact + "/back", Reference: r.Grant, Description: r.Description, Amount: row.Given,
		PeriodStart: now, PeriodEnd: end, ExpiresAt: end,
	})
	return restored, err
}

// Turn makes a clawback stand or be void, whatever it was before: its reason may be
// reversed any number of times. Each time that it stands again it has a fact of its own;
// one that never stood is not recorded as void. The caller holds a lock, so that the last
// call counts.
func (l *Ledger) Turn(ctx context.Context, tx pgx.Tx, c Clawback, stands bool) error {
	until, err := l.q.Turns(ctx, tx, db.TurnsParams{GrantFact: c.Grant, Fact: c.Fact})
	if err != nil {
		return databaseFault(err)
	}
	if until.Stands == stands {
		return nil
	}
	if until.Void > 0 {
		c.Fact = fmt.Sprintf("%s/%d", c.Fact, until.Void+1)
	}
	if stands {
		_, err = l.Clawback(ctx, tx, c)
	} else {
		_, err = l.Restore(ctx, tx, Restoration{Fact: c.Fact, Grant: c.Grant, Description: c.Description})
	}
	return err
}
