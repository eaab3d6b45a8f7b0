package billing_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/billing"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/service"
)

// TestOperatorsDealWithDeadLetters of an erasure, and the audit log hears of it.
func TestOperatorsDealWithDeadLetters(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := uuid.NewString()
	if _, err := r.pool.Exec(t.Context(), `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason)
		VALUES ('billing-erasure', $1, $2, '{}', '', 'panic: nil map')`, id, erasure.Deleted); err != nil {
		t.Fatal(err)
	}
	commands := billing.Commands()
	at := slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == "dead-letters" })
	var out bytes.Buffer
	err := commands[at].Run(t.Context(), service.Call{
		Args: []string{"redrive", "ada@example.test", id}, Environ: []string{"DATABASE_URL=" + r.environ["DATABASE_URL"]}, Out: &out,
		Runtime: service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler)),
	})
	if err != nil || !strings.HasSuffix(out.String(), "1 redriven\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
	for _, query := range []string{
		"SELECT count(*) FROM dead_letter WHERE redrive_at IS NOT NULL",
		"SELECT count(*) FROM outbox WHERE type = 'fledge.billing.v1.staff.action'",
	} {
		if n := r.count(query); n != 1 {
			t.Errorf("%s: %d", query, n)
		}
	}
}
