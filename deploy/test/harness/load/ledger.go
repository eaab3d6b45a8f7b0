package load

import (
	"sync"

	"fledge.dev/deploy/local/procs"
)

// Ledger keeps, for each kind of write, what was tried and what was acknowledged.
type Ledger struct {
	mu           sync.Mutex
	tried, acked map[string]*procs.Ledger
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{tried: map[string]*procs.Ledger{}, acked: map[string]*procs.Ledger{}}
}

// Tried are the keys of a kind that were sent.
func (l *Ledger) Tried(kind string) *procs.Ledger { return l.of(l.tried, kind) }

// Acked are the keys of a kind to which the product said yes.
func (l *Ledger) Acked(kind string) *procs.Ledger { return l.of(l.acked, kind) }

func (l *Ledger) of(kinds map[string]*procs.Ledger, kind string) *procs.Ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kinds[kind] == nil {
		kinds[kind] = procs.NewLedger()
	}
	return kinds[kind]
}

func (l *Ledger) note(kinds map[string]*procs.Ledger, r Request) {
	if r.Key != "" {
		l.of(kinds, r.Name).Acknowledged(r.Key)
	}
}
