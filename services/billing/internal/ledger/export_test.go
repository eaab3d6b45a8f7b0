package ledger

import "github.com/google/uuid"

// Waiting is how many calls wait for the transaction before theirs.
func (l *Ledger) Waiting(account uuid.UUID) int {
	l.queues.mu.Lock()
	defer l.queues.mu.Unlock()
	return len(l.queues.waiting[account])
}
