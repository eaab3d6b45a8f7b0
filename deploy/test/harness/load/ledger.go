package load

import (
	"sync"

	"fledge.dev/deploy/local/processes"
)

// Ledger keeps, for each kind of write, what was tried and what was acknowledged.
type Ledger struct {
	mu           sync.Mutex
	tried, acked map[string]*processes.Ledger
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{tried: map[string]*processes.Ledger{}, acked: map[string]*processes.Ledger{}}
}

// Tried are the keys of a kind that were sent.
func (l *Ledger) Tried(kind string) *processes.Ledger { return l.of(l.tried, kind) }

// Acked are the keys of a kind to which the product said yes.
func (l *Ledger) Acked(kind string) *processes.Ledger { return l.of(l.acked, kind) }

func (l *Ledger) of(kinds map[string]*processes.Ledger, kind string) *processes.Ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kinds[kind] == nil {
		kinds[kind] = processes.NewLedger()
	}
	return kinds[kind]
}

func (l *Ledger) note(kinds map[string]*processes.Ledger, r Request) {
	if r.Key != "" {
		l.of(kinds, r.Name).Acknowledged(r.Key)
	}
}
