// Package waittest lets tests wait for a condition, with a deadline.
package waittest

import (
	"testing"
	"time"
)

// Timeout is the timeout: much longer than anything takes on a busy machine, so that a
// test that reaches it has found a defect.
const Timeout = 2 * time.Minute

const pollInterval = 10 * time.Millisecond

// Eventually fails the test when holds does not become true within Timeout.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Seen(t, what, func() (bool, string) { return holds(), "not yet" })
}

// Seen is Eventually with a condition that also returns what it saw, for the failure message.
func Seen(t testing.TB, what string, look func() (holds bool, seen string)) {
	t.Helper()
	for deadline := time.Now().Add(Timeout); ; time.Sleep(pollInterval) {
		holds, seen := look()
		if holds {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s (seen last: %s)", Timeout, what, seen)
		}
	}
}
