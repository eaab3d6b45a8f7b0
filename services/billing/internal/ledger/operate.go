package ledger

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Outcomes of the database's operations; each function names those it has.
const (
	done         = "done"
	replayed     = "replayed"
	reused       = "reused"
	insufficient = "insufficient"
	due          = "due"
	noHold       = "no_hold"
	settled      = "settled"
	expired      = "expired"
	tooMuch      = "too_much"
	known        = "known"
)

// maxLapses bounds how often one operation makes way for things that have ended.
// One is the rule; another replica's clock may run behind.
const maxLapses = 5

// answer is the database's credit_answer. Everything but the outcome may be
// missing.
type answer struct {
	Outcome   string
	Entry     *int64
	HoldID    *uuid.UUID
	ExpiresAt *time.Time
	Balance   *int64
	Granted   *int64
	Used      *int64
	Held      *int64
	PeriodEnd *time.Time
	Expired   *int64
	Clawed    *int64
}

func (a answer) credits() Credits {
	c := Credits{Balance: value(a.Balance), Granted: value(a.Granted), Used: value(a.Used), Held: value(a.Held)}
	if a.PeriodEnd != nil {
		c.PeriodEnd = a.PeriodEnd.UTC()
	}
	return c
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// operate calls a function of the database on an account, and lets end first what
// has to. scan reads the function's one row and returns its outcome.
func (l *Ledger) operate(ctx context.Context, conn db.DBTX, userID uuid.UUID, now time.Time, scan func(pgx.Row) (outcome string, err error), sql string, args ...any) error {
	for range maxLapses {
		outcome, err := scan(conn.QueryRow(ctx, sql, args...))
		if err != nil || outcome != due {
			return databaseFault(err)
		}
		if err := l.lapse(ctx, conn, userID, now); err != nil {
			return databaseFault(err)
		}
	}
	return errLapsing
}

// answered is operate for functions that return a credit_answer.
func (l *Ledger) answered(ctx context.Context, conn db.DBTX, userID uuid.UUID, now time.Time, sql string, args ...any) (a answer, err error) {
	err = l.operate(ctx, conn, userID, now, func(row pgx.Row) (string, error) {
		a = answer{}
		return a.Outcome, row.Scan(a.fields()...)
	}, sql, args...)
	return a, err
}

func (a *answer) fields() []any {
	return []any{
		&a.Outcome, &a.Entry, &a.HoldID, &a.ExpiresAt, &a.Balance, &a.Granted, &a.Used, &a.Held, &a.PeriodEnd, &a.Expired, &a.Clawed,
	}
}

// interactive runs a spend of a person: one at a time for each account, within
// the deadline.
func (l *Ledger) interactive(ctx context.Context, userID uuid.UUID, sql string, args ...any) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Deadline)
	defer cancel()
	release, err := l.turns.take(ctx, userID)
	if err != nil {
		return answer{}, databaseFault(err)
	}
	defer release()
	now := l.now()
	return l.answered(ctx, l.pool, userID, now, sql, append([]any{userID, now}, args...)...)
}

// now is the clock's time as the database keeps it.
func (l *Ledger) now() time.Time { return l.clock.Now().Truncate(time.Microsecond) }

func databaseFault(err error) error { return pg.Fault(err, nil) }
