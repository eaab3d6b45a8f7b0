package account

import (
	"encoding/json"
	"slices"
)

type row interface {
	Product | Price | Configuration | Customer | Card | Checkout | Portal | Subscription | Invoice |
		Payment | Charge | Refund | Dispute | Warning | Event | Answer
}

// table keeps rows in the order in which they were made.
type table[R row] struct {
	rows  []*R
	index map[string]*R
}

type keyed interface{ Key() string }

func keyOf[R row](r *R) string { return any(r).(keyed).Key() }

// Get returns the row with a key; nil when there is none.
func (t *table[R]) Get(key string) *R { return t.index[key] }

// put adds a row, or replaces the one with the same key.
func (t *table[R]) put(r *R) {
	if t.index == nil {
		t.index = map[string]*R{}
	}
	key := keyOf(r)
	if old, ok := t.index[key]; ok {
		t.rows[slices.Index(t.rows, old)] = r
	} else {
		t.rows = append(t.rows, r)
	}
	t.index[key] = r
}

// All returns the rows that match, the oldest first.
func (t *table[R]) All(match func(*R) bool) []*R {
	var out []*R
	for _, r := range t.rows {
		if match(r) {
			out = append(out, r)
		}
	}
	return out
}

// Newest returns the rows that match, the newest first.
func (t *table[R]) Newest(match func(*R) bool) []*R {
	out := t.All(match)
	slices.Reverse(out)
	return out
}

// keep drops the rows that do not match.
func (t *table[R]) keep(match func(*R) bool) {
	t.rows = slices.DeleteFunc(t.rows, func(r *R) bool {
		drop := !match(r)
		if drop {
			delete(t.index, keyOf(r))
		}
		return drop
	})
}

func (t table[R]) MarshalJSON() ([]byte, error) { return json.Marshal(t.rows) }

func (t *table[R]) UnmarshalJSON(content []byte) error {
	var rows []*R
	if err := json.Unmarshal(content, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		t.put(r)
	}
	return nil
}
