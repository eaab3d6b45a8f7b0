package mail_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
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
		errtest.None(t, err)
	}
	for range 2 {
		errtest.None(t, r.erase(q, "ann@example.com", "ann@old.example.com"))
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

func TestALateReportBringsNoErasedAddressBack(t *testing.T) {
	r := newRig(t)
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	heard := 0
	q.Hear(func(context.Context, pgx.Tx, mail.Report) error {
		heard++
		return nil
	})
	reports := func(id string) {
		r.report(q, event(id+"/ann", "Ann@BÜCHER.example", mailv1.Kind_KIND_BOUNCED), event(id+"/bücher", "bcher@example.com", mailv1.Kind_KIND_COMPLAINED))
	}
	reports("before")
	for range 2 {
		errtest.None(t, r.erase(q, "ann@bücher.example", "ann@xn--bcher-kva.example", "bcher@example.com"))
	}
	heard = 0
	reports("late")
	if found := erasuretest.Search(t, r.pool, "ann@", "bcher", "bücher"); len(found) != 0 || heard != 0 {
		t.Errorf("an erased address is in %q, and was heard of %d times", found, heard)
	}
	if found, err := mail.Suppressions(t.Context(), r.pool, []string{"ann@xn--bcher-kva.example", "bcher@example.com", ""}); err != nil || len(found) != 0 {
		t.Errorf("erased addresses get no emails: %v, %v", found, err)
	}
	r.report(q, event("other", "joann@xn--bcher-kva.example", mailv1.Kind_KIND_BOUNCED))
	if heard != 1 {
		t.Errorf("heard of another person %d times", heard)
	}

	r.enqueue(q, emailTo("back", "ann@bücher.example"))
	r.work(q)
	r.eventuallyTried(rt, "sent")
	reports("new")
	if trouble, ok, err := q.Trouble(t.Context(), "ann@bücher.example"); err != nil || !ok || trouble.State != mail.Bounced {
		t.Errorf("of somebody who is back is known %+v, %t, %v", trouble, ok, err)
	}
	if found := erasuretest.Search(t, r.pool, "bcher@example.com"); len(found) != 0 {
		t.Errorf("the other erased address is in %q", found)
	}
	if _, err := r.pool.Exec(t.Context(), "UPDATE mail.reports SET lifted_at = now() - interval '31 days' WHERE address = ''"); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, q.Cleanup().Run(t.Context()))
	var left int
	if err := r.pool.QueryRow(t.Context(), "SELECT count(*) FROM mail.reports WHERE address = ''").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d marks are left after their time, %v", left, err)
	}
}
