package mail_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
)

func (r *rig) erase(q *mail.Queue, addresses ...string) error {
	return pgx.BeginFunc(r.t.Context(), r.pool, func(tx pgx.Tx) error { return q.Erase(r.t.Context(), tx, addresses...) })
}

func TestEmailsToAnAddressAreErasedWhateverBecameOfThem(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	states := []string{"available", "completed", "retryable", "scheduled", "cancelled", "discarded"}
	for _, state := range states {
		r.enqueue(q, emailTo("a/"+state, "Ann@example.com"), emailTo("b/"+state, "ann@old.example.com"), emailTo("c/"+state, "joann@example.com"))
		_, err := r.pool.Exec(t.Context(), `UPDATE mail.river_job SET state = $1::text::mail.river_job_state,
			finalized_at = CASE WHEN $1 IN ('completed', 'cancelled', 'discarded') THEN now() END WHERE args->>'key' LIKE '%/' || $1`, state)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := r.erase(q, "ann@example.com", "ann@old.example.com"); err != nil {
			t.Fatal(err)
		}
	}
	if found := erasuretest.Search(t, r.pool, "ann@example.com", "ann@old.example.com"); len(found) != 0 {
		t.Errorf("an address is still in %q", found)
	}
	for _, state := range states {
		if n := r.jobs(state); n != 1 {
			t.Errorf("%d emails are left that are %s, want the other person's", n, state)
		}
	}
}

func TestAnEmailOnItsWayIsErasedLater(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.enqueue(q, emailTo("a", "ann@example.com"), emailTo("b", "ann@example.com"))
	if _, err := r.pool.Exec(t.Context(), "UPDATE mail.river_job SET state = 'running' WHERE args->>'key' = 'a'"); err != nil {
		t.Fatal(err)
	}
	if err := r.erase(q, "ann@example.com"); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("erased an email that is being delivered: %v", err)
	}
	if running, waiting := r.jobs("running"), r.jobs("available"); running != 1 || waiting != 1 {
		t.Errorf("%d and %d emails are left although nothing was committed", running, waiting)
	}
	if err := r.erase(q, "joann@example.com"); err != nil {
		t.Errorf("another person waits for it: %v", err)
	}
}
