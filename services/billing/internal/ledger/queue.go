package ledger

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// maxShared is the most calls that share a transaction.
const maxShared = 32

// queues let the calls of one account share transactions: those that arrive during a
// commit go together into the next. Otherwise each would wait for the account's lock and
// for a commit of its own while holding a connection, so that one busy account could
// take the whole pool. A single call does not wait.
//
// 64 callers of one account get 430 spends a second with it and 130 without; of a thousand
// accounts 860 and 1,050 (`make bench-go HOT=Consume`, with and without in turn, two rounds).
//
// This is only about speed: the account's lock serialises replicas.
type queues struct {
	pool    *pgxpool.Pool
	timeout time.Duration

	mu sync.Mutex
	// waiting has an entry for each account that is being worked for.
	waiting map[uuid.UUID][]*call
}

type call struct {
	sql  string
	args []any
	scan func(pgx.Row) error
	// abandoned calls are not started.
	abandoned atomic.Bool
	done      chan error
}

// newQueues returns queues whose transactions take at most timeout each.
func newQueues(pool *pgxpool.Pool, timeout time.Duration) *queues {
	return &queues{pool: pool, timeout: timeout, waiting: map[uuid.UUID][]*call{}}
}

// do implements runner for an account. When ctx ends first, the call may still
// happen.
func (q *queues) do(ctx context.Context, account uuid.UUID, scan func(pgx.Row) error, sql string, args ...any) error {
	c := &call{sql: sql, args: args, scan: scan, done: make(chan error, 1)}
	q.mu.Lock()
	calls, busy := q.waiting[account]
	q.waiting[account] = append(calls, c)
	q.mu.Unlock()
	if !busy {
		go q.work(account)
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		c.abandoned.Store(true)
		return ctx.Err()
	}
}

// work makes the account's calls until there are none.
func (q *queues) work(account uuid.UUID) {
	for {
		q.mu.Lock()
		calls := q.waiting[account]
		if len(calls) == 0 {
			delete(q.waiting, account)
			q.mu.Unlock()
			return
		}
		now := calls[:min(len(calls), maxShared)]
		q.waiting[account] = calls[len(now):]
		q.mu.Unlock()
		q.together(now)
	}
}

// together makes calls in one transaction and one round trip. If one fails, none
// has happened, and all fail with it: each can be repeated.
func (q *queues) together(calls []*call) {
	ctx, cancel := context.WithTimeout(context.Background(), q.timeout)
	defer cancel()
	var batch pgx.Batch
	begun := calls[:0]
	for _, c := range calls {
		if !c.abandoned.Load() {
			batch.Queue(c.sql, c.args...)
			begun = append(begun, c)
		}
	}
	if len(begun) == 0 {
		return
	}
	results := q.pool.SendBatch(ctx, &batch)
	var failure error
	for _, c := range begun {
		if err := c.scan(results.QueryRow()); err != nil && failure == nil {
			failure = err
		}
	}
	// Only now is anything committed.
	if err := results.Close(); err != nil && failure == nil {
		failure = err
	}
	for _, c := range begun {
		c.done <- failure
	}
}
