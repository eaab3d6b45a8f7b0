package load

import (
	"sync"
)

// Ledger keeps, for each kind of write, what was tried and what was acknowledged.
type Ledger struct {
	mu           sync.Mutex
	tried, acked map[string]*Keys
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{tried: map[string]*Keys{}, acked: map[string]*Keys{}}
}

// Tried are the keys of a kind that were sent.
func (l *Ledger) Tried(kind string) *Keys { return l.of(l.tried, kind) }

// Acked are the keys of a kind to which the product said yes.
func (l *Ledger) Acked(kind string) *Keys { return l.of(l.acked, kind) }

func (l *Ledger) of(kinds map[string]*Keys, kind string) *Keys {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kinds[kind] == nil {
		kinds[kind] = NewKeys()
	}
	return kinds[kind]
}

func (l *Ledger) note(kinds map[string]*Keys, r Request) {
	if r.Key != "" {
		l.of(kinds, r.Name).Add(r.Key)
	}
}
