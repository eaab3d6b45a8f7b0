package ledger

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/fault"
)

// ErrClosed says that an account was closed: it is given nothing any more.
var ErrClosed = fault.New(fault.Conflict, "account_closed", "This account was closed.")

// Close ends an account for good, in the caller's transaction: what its holds set aside and
// what it has left expires, as entries like any others, and nothing is granted to it any
// more. Its history stays. It can be repeated, and returns how much expired. Locks like Grant.
func (l *Ledger) Close(ctx context.Context, tx pgx.Tx, userID uuid.UUID) (expired int64, err error) {
	var clawed int64
	err = tx.QueryRow(ctx, "SELECT expired, clawed FROM credits_close($1, $2)", userID, l.now()).Scan(&expired, &clawed)
	if err != nil {
		return 0, databaseFault(err)
	}
	l.metrics.moved(expireKind, expired)
	l.metrics.moved(clawbackKind, clawed)
	return expired, nil
}
