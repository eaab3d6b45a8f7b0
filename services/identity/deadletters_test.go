package identity_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	lostEvent  = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"
	otherEvent = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b9"
)

func TestDeadLettersCommand(t *testing.T) {
	r := newRig(t)
	env := environ(r.url, r.nats.URL(), r.kratos.server.URL)
	const reason = "panic: nil map\nnothing\twas\x1b[2J there"
	if _, err := r.db.Exec(t.Context(), `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason) VALUES
		('identity-audit-waitlist', $1, 'fledge.waitlist.v1.staff.action', '{}', '', 'no actor'),
		('identity-audit-support', $2, 'fledge.support.v1.staff.action', '{}', '', $3)`, lostEvent, otherEvent, reason); err != nil {
		t.Fatal(err)
	}
	run := func(want string, args ...string) {
		t.Helper()
		out, err := command(t, env, "dead-letters", args...)
		if err != nil || !strings.HasSuffix(out, want+"\n") {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
	out, err := command(t, env, "dead-letters", "list")
	if lines := strings.Split(out, "\n"); err != nil || len(lines) != 4 || !strings.Contains(out, lostEvent) || !strings.Contains(out, "\tpanic: nil map nothing was there\n") || !strings.Contains(out, "2 dead letters") ||
		strings.Count(lines[0], "\t") != 4 || strings.Count(lines[1], "\t") != 4 {
		t.Fatalf("%q, %v", out, err)
	}
	run("1 redriven", "redrive", "ada@example.test", "identity-audit-waitlist")
	run("1 dropped", "drop", "ada@example.test", strings.ToUpper(otherEvent))
	run("0 dropped", "drop", "ada@example.test", otherEvent)
	for _, misuse := range [][]string{{}, {"list", "all"}, {"redrive"}, {"drop", "ada@example.test"}, {"delete", "ada@example.test", "b"}, {"drop", "identity-audit-waitlist", otherEvent}} {
		if _, err := command(t, env, "dead-letters", misuse...); err == nil {
			t.Errorf("%v: %v", misuse, err)
		}
	}

	var left, due int
	if err := r.db.QueryRow(t.Context(), "SELECT count(*), count(redrive_at) FROM dead_letter").Scan(&left, &due); err != nil || left != 1 || due != 1 {
		t.Errorf("%d left, %d due, %v", left, due, err)
	}
	waittest.Seen(t, "the audit log hears of it", func() (bool, string) {
		rows, err := r.db.Query(t.Context(), "SELECT action || ' ' || subject || ' ' || subject_label || ' by ' || actor_email FROM audit_log ORDER BY at")
		errtest.None(t, err)
		entries, err := pgx.CollectRows(rows, pgx.RowTo[string])
		errtest.None(t, err)
		log := strings.Join(entries, "\n")
		return log == "dead_letter.redriven "+lostEvent+" identity-audit-waitlist by ada@example.test\n"+
			"dead_letter.dropped "+otherEvent+" identity-audit-support by ada@example.test", log
	})
}
