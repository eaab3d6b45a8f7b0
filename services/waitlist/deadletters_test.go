package waitlist_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/erasure"
)

// TestOperatorsDealWithDeadLetters, and the audit log hears of it.
func TestOperatorsDealWithDeadLetters(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := uuid.NewString()
	if _, err := r.pool.Exec(t.Context(), `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason)
		VALUES ('waitlist-erasure', $1, $2, '{}', '', 'panic: nil map')`, id, erasure.Deleted); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		t.Helper()
		out, err := r.command("dead-letters", args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := command("list"); !strings.Contains(out, id) || !strings.Contains(out, "panic: nil map") {
		t.Errorf("list: %q", out)
	}
	if out := command("drop", "ada@example.test", id); !strings.HasSuffix(out, "1 dropped\n") || r.count("SELECT count(*) FROM dead_letter") != 0 {
		t.Errorf("drop: %q", out)
	}

	var payload []byte
	if err := r.pool.QueryRow(t.Context(), "SELECT payload FROM outbox WHERE type = 'fledge.waitlist.v1.staff.action'").Scan(&payload); err != nil {
		t.Fatal(err)
	}
	var a auditv1.StaffAction
	if err := proto.Unmarshal(payload, &a); err != nil {
		t.Fatal(err)
	}
	if a.GetAction() != "dead_letter.dropped" || a.GetActorEmail() != "ada@example.test" || a.GetActorId() != uuid.Nil.String() ||
		a.GetSubject() != id || a.GetSubjectLabel() != "waitlist-erasure" || !strings.Contains(a.GetBefore(), "nil map") {
		t.Errorf("the audit log hears %v", &a)
	}
}
