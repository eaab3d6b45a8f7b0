package processes

import (
	"slices"
	"sync"
)

// Ledger remembers what the product has promised: one entry for each answer
// that reached its caller. After any number of faults every entry must still
// hold. Its methods may be called at the same time.
type Ledger struct {
	mu      sync.Mutex
	entries map[string]int
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{entries: map[string]int{}} }

// Acknowledged notes that the product said yes to key.
func (l *Ledger) Acknowledged(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[key]++
}

// Len is the number of different keys.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// Difference is the difference between what is present and a ledger.
type Difference struct {
	// Lost keys were acknowledged and are not present. Repeated ones are present more than
	// once. Unasked ones are present and were never acknowledged, which alone is no defect:
	// the answer may have been lost.
	Lost, Repeated, Unasked []string
}

// Compare compares the keys that are present with those that were acknowledged.
func (l *Ledger) Compare(present []string) Difference {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[string]int{}
	for _, key := range present {
		seen[key]++
	}
	var d Difference
	for key := range l.entries {
		if seen[key] == 0 {
			d.Lost = append(d.Lost, key)
		}
	}
	for key, times := range seen {
		if times > 1 {
			d.Repeated = append(d.Repeated, key)
		}
		if l.entries[key] == 0 {
			d.Unasked = append(d.Unasked, key)
		}
	}
	for _, keys := range []*[]string{&d.Lost, &d.Repeated, &d.Unasked} {
		slices.Sort(*keys)
	}
	return d
}
