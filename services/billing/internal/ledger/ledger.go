// Package ledger keeps the credits of every account: granted, spent, held, clawed
// back and expired. The service's README states the invariants.
//
// Each operation is one call of a database function, so that an account's lock is
// never held during a round trip. This package adds types, faults, events and metrics.
//
// Errors are faults. After Unavailable an operation may or may not have happened;
// each can be repeated with its key or fact and then happens once.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

var errLapsing = fault.New(fault.Unavailable, "ledger_busy", "Your credits are very busy right now. Please try again.").RetryAfter(time.Second)

// Config sets deadlines and intervals.
type Config struct {
	// Deadline bounds one operation that a person waits for.
	Deadline time.Duration
	// LapseEvery is how often expired holds and grants are ended. Balances are exact in
	// between, see Credits.
	LapseEvery time.Duration
	// CheckEvery is how often all balances are recomputed from their entries.
	CheckEvery time.Duration
}

// Ledger is the ledger. Safe for concurrent use, by any number of replicas.
type Ledger struct {
	pool    *pgxpool.Pool
	q       *db.Queries
	clock   clock.Clock
	cfg     Config
	log     *slog.Logger
	metrics *metrics
	queues  *queues
}

// New returns a ledger on a migrated database, with its metrics in reg.
func New(pool *pgxpool.Pool, clk clock.Clock, cfg Config, reg prometheus.Registerer, log *slog.Logger) (*Ledger, error) {
	m, err := newMetrics(reg)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return &Ledger{pool: pool, q: db.New(), clock: clk, cfg: cfg, log: log, metrics: m, queues: newQueues(pool, cfg.Deadline)}, nil
}

// Credits are what an account has at one moment, of the grants that are in force.
type Credits struct {
	// Balance can be spent: Granted - Used - Held.
	Balance int64
	// Granted excludes what was clawed back.
	Granted int64
	Used    int64
	Held    int64
	// PeriodEnd is when the first of the grants' periods ends; zero without one.
	PeriodEnd time.Time
}

// Credits returns what the account has now; ok is false for one that never had
// any. Expired grants are excluded, whether or not a job has ended them yet.
func (l *Ledger) Credits(ctx context.Context, userID uuid.UUID) (_ Credits, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Deadline)
	defer cancel()
	now := l.now()
	for range maxLapses {
		state, err := l.q.CreditState(ctx, l.pool, db.CreditStateParams{Now: now, UserID: userID})
		if errors.Is(err, pgx.ErrNoRows) {
			return Credits{}, false, nil
		}
		if err != nil {
			return Credits{}, false, databaseFault(err)
		}
		if !state.Due {
			return Credits{
				Balance: state.Balance, Granted: state.Granted, Used: state.Used, Held: state.Held, PeriodEnd: instant(state.PeriodEnd),
			}, true, nil
		}
		if err := l.lapse(ctx, through(l.pool), userID, now); err != nil {
			return Credits{}, false, databaseFault(err)
		}
	}
	return Credits{}, false, errLapsing
}

// Ending is what can be spent until a time.
type Ending struct {
	At     time.Time
	Amount int64
}

// Endings says what of the balance ends when, the soonest first: with the period that it is of or,
// where that is over and the next is not paid for, with the grace that follows.
func (l *Ledger) Endings(ctx context.Context, userID uuid.UUID) ([]Ending, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Deadline)
	defer cancel()
	rows, err := l.q.CreditEndings(ctx, l.pool, db.CreditEndingsParams{Now: l.now(), UserID: userID})
	if err != nil {
		return nil, databaseFault(err)
	}
	endings := make([]Ending, len(rows))
	for i, row := range rows {
		endings[i] = Ending{At: row.EndsAt.UTC(), Amount: row.Amount}
	}
	return endings, nil
}

// instant makes the year 1 of the queries the zero time of Go.
func instant(t time.Time) time.Time {
	if t.Year() <= 1 {
		return time.Time{}
	}
	return t.UTC()
}
