package waitlist_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/erasure"
)

// TestOperatorsDealWithDeadLetters, and the audit log hears of it from this service.
func TestOperatorsDealWithDeadLetters(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := uuid.NewString()
	if _, err := r.pool.Exec(t.Context(), `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason)
		VALUES ('waitlist-erasure', $1, $2, '{}', '', 'panic: nil map')`, id, erasure.Deleted); err != nil {
		t.Fatal(err)
	}
	out, err := r.command("dead-letters", "drop", "ada@example.test", id)
	if err != nil || !strings.HasSuffix(out, "1 dropped\n") {
		t.Errorf("%q, %v", out, err)
	}
	if n := r.count("SELECT count(*) FROM outbox WHERE type = 'fledge.waitlist.v1.staff.action'"); n != 1 {
		t.Errorf("the audit log hears %d times", n)
	}
}
