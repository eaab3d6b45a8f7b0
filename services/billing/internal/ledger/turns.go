package ledger

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// turns lets the operations of one account go to the database one after the other.
// The database would make them wait too, but each with a connection in its hand:
// one busy account could take the whole pool from all others, and the more
// sessions queue for a row, the slower each gets it. It is about speed only;
// other replicas are kept apart by the account's lock alone.
type turns struct {
	mu       sync.Mutex
	accounts map[uuid.UUID]*turn
}

// turn is one account's. It exists while somebody has it or waits for it.
type turn struct {
	free  chan struct{}
	users int
}

func newTurns() *turns { return &turns{accounts: map[uuid.UUID]*turn{}} }

// take waits for the account's turn. Call release when done.
func (t *turns) take(ctx context.Context, account uuid.UUID) (release func(), err error) {
	t.mu.Lock()
	mine := t.accounts[account]
	if mine == nil {
		mine = &turn{free: make(chan struct{}, 1)}
		mine.free <- struct{}{}
		t.accounts[account] = mine
	}
	mine.users++
	t.mu.Unlock()

	select {
	case <-mine.free:
		return func() {
			mine.free <- struct{}{}
			t.leave(account, mine)
		}, nil
	case <-ctx.Done():
		t.leave(account, mine)
		return nil, ctx.Err()
	}
}

func (t *turns) leave(account uuid.UUID, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.accounts, account)
	}
}
