package load

import (
	"slices"
	"sync"
)

// Keys remembers what the product has promised: one key for each answer
// that reached its caller. After any number of faults every one must still
// hold. Its methods may be called at the same time.
type Keys struct {
	mu      sync.Mutex
	entries map[string]int
}

// NewKeys returns none.
func NewKeys() *Keys { return &Keys{entries: map[string]int{}} }

// Add notes that the product said yes to key.
func (k *Keys) Add(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries[key]++
}

// Len is the number of different keys.
func (k *Keys) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.entries)
}

// Difference is the difference between what is present and keys.
type Difference struct {
	// Lost keys were acknowledged and are not present. Repeated ones are present more than
	// once. Unasked ones are present and were never acknowledged, which alone is no defect:
	// the answer may have been lost.
	Lost, Repeated, Unasked []string
}

// Compare compares the keys that are present with those that were acknowledged.
func (k *Keys) Compare(present []string) Difference {
	k.mu.Lock()
	defer k.mu.Unlock()
	seen := map[string]int{}
	for _, key := range present {
		seen[key]++
	}
	var d Difference
	for key := range k.entries {
		if seen[key] == 0 {
			d.Lost = append(d.Lost, key)
		}
	}
	for key, times := range seen {
		if times > 1 {
			d.Repeated = append(d.Repeated, key)
		}
		if k.entries[key] == 0 {
			d.Unasked = append(d.Unasked, key)
		}
	}
	for _, keys := range []*[]string{&d.Lost, &d.Repeated, &d.Unasked} {
		slices.Sort(*keys)
	}
	return d
}
