// Package waittest waits in tests for what happens by itself.
package waittest

import (
	"testing"
	"time"
)

// Patience is much longer than anything takes, on a machine that does other things
// besides: a test that waits in vain has found a defect.
const Patience = 2 * time.Minute

const pollInterval = 10 * time.Millisecond

// Eventually fails the test when holds does not become true within Patience.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Seen(t, what, func() (bool, string) { return holds(), "not yet" })
}

// Seen is Eventually with a condition that also tells what it saw, which a failure shows.
func Seen(t testing.TB, what string, look func() (holds bool, seen string)) {
	t.Helper()
	for deadline := time.Now().Add(Patience); ; time.Sleep(pollInterval) {
		holds, seen := look()
		if holds {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s (seen last: %s)", Patience, what, seen)
		}
	}
}
