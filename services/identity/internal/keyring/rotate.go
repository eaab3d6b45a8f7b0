package keyring

import (
	"context"
	"slices"
	"time"
)

// Rotate makes a next key for each purpose that has none, and returns when all
// of them will be in use. Nobody who is signed in notices.
func (r *Ring) Rotate(ctx context.Context, purposes ...Purpose) (from time.Time, err error) {
	_, err = r.store.ChangeKeys(ctx, func(have []Key) ([]Key, error) {
		// A key sealed under another encryption key than the others would keep the
		// service from starting again.
		if _, err := r.sealer.openAll(have); err != nil {
			return nil, err
		}
		now, want := r.clock.Now(), slices.Clone(have)
		for _, purpose := range purposes {
			next, ok := find(want, purpose, Next)
			if !ok {
				next = r.newKey(purpose, Next, now)
				want = append(want, next)
			}
			if due := next.StateSince.Add(Lead + ReloadInterval); due.After(from) {
				from = due
			}
		}
		return want, nil
	})
	return from, err
}

// Replace makes new keys for the purposes, active at once, and deletes all older
// ones: tokens that they made end as soon as everybody has heard of it. It is
// for keys that leaked, and also for keys that nobody can open any more.
func (r *Ring) Replace(ctx context.Context, purposes ...Purpose) error {
	_, err := r.store.ChangeKeys(ctx, func(have []Key) ([]Key, error) {
		want := slices.DeleteFunc(slices.Clone(have), func(k Key) bool { return slices.Contains(purposes, k.Purpose) })
		if _, err := r.sealer.openAll(want); err != nil {
			return nil, err
		}
		for _, purpose := range purposes {
			want = append(want, r.newKey(purpose, Active, r.clock.Now()))
		}
		return want, nil
	})
	return err
}
