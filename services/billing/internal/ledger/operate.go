package ledger

import (
	"context"
	"fmt"
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
	void         = "void"
	closed       = "closed"
)

// maxLapses bounds how often one operation first ends expired holds and grants. Usually
// once is enough; another replica's clock may be slow.
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

func (a *answer) scan(row pgx.Row) error {
	return row.Scan(&a.Outcome, &a.Entry, &a.HoldID, &a.ExpiresAt, &a.Balance, &a.Granted, &a.Used, &a.Held, &a.PeriodEnd, &a.Expired, &a.Clawed)
}

func (a *answer) credits() Credits {
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

func (a *answer) unexpected(doing string) error {
	return fmt.Errorf("ledger: %s: the database answered %q", doing, a.Outcome)
}

// runner makes a call that returns one row. After an error nobody may look at what
// scan fills: it may still run.
type runner func(ctx context.Context, scan func(pgx.Row) error, sql string, args ...any) error

// through runs calls on a pool or in a transaction.
func through(conn db.DBTX) runner {
	return func(ctx context.Context, scan func(pgx.Row) error, sql string, args ...any) error {
		return scan(conn.QueryRow(ctx, sql, args...))
	}
}

// operate calls an operation of the database on an account, and first ends what has
// expired.
func (l *Ledger) operate(ctx context.Context, run runner, userID uuid.UUID, now time.Time, sql string, args ...any) (*answer, error) {
	for range maxLapses {
		var a answer
		if err := run(ctx, a.scan, sql, args...); err != nil {
			return nil, databaseFault(err)
		}
		if a.Outcome != due {
			return &a, nil
		}
		if err := l.lapse(ctx, run, userID, now); err != nil {
			return nil, databaseFault(err)
		}
	}
	return nil, errLapsing
}

// interactive is operate for a waiting person. The operation's first two
// arguments are the account and the time.
func (l *Ledger) interactive(ctx context.Context, userID uuid.UUID, sql string, args ...any) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Deadline)
	defer cancel()
	queued := func(ctx context.Context, scan func(pgx.Row) error, sql string, args ...any) error {
		return l.queues.do(ctx, userID, scan, sql, args...)
	}
	now := l.now()
	return l.operate(ctx, queued, userID, now, sql, append([]any{userID, now}, args...)...)
}

// now is the clock's time as the database keeps it.
func (l *Ledger) now() time.Time { return l.clock.Now().Truncate(time.Microsecond) }

func databaseFault(err error) error { return pg.Fault(err, nil) }
