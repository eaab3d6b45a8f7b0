package mail

import (
	"testing"
	"time"
)

func TestOneEmailIsTriedAfterEachPause(t *testing.T) {
	now := time.Now()
	b := &breaker{now: func() time.Time { return now }}
	for range 4 { // those that were under way together are one failure
		if _, ok := b.enter(); !ok {
			t.Fatal("nothing has failed yet")
		}
	}
	for range 4 {
		b.leave(true)
	}
	var tried []time.Duration
	for start := now; now.Sub(start) < time.Hour; now = now.Add(time.Second) {
		for range 3 { // of all that ask at a time, one may go
			if wait, ok := b.enter(); ok {
				tried = append(tried, now.Sub(start))
			} else if wait <= 0 || wait > longestPause*5/4+time.Second {
				t.Fatalf("told to wait %s", wait)
			}
		}
		if len(tried) > 0 && tried[len(tried)-1] == now.Sub(start) {
			b.leave(true)
		}
	}
	if want := []time.Duration{2 * time.Second, 6 * time.Second, 14 * time.Second}; len(tried) < 3 || tried[0] != want[0] || tried[1] != want[1] || tried[2] != want[2] {
		t.Errorf("tried after %v", tried)
	}
	if len(tried) > 22 {
		t.Errorf("%d tries in an hour", len(tried))
	}

	now = now.Add(time.Hour)
	if _, ok := b.enter(); !ok {
		t.Fatal("the pause is over")
	}
	b.leave(false)
	for range 2 {
		if _, ok := b.enter(); !ok {
			t.Error("all may go after a success")
		}
	}
}
