package waitlist_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/google/uuid"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestADeletedAccountLeavesNothing but the answer, which names its id for a week; also when the
// process is killed between any two steps.
func TestADeletedAccountLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	unconfirmed := func(name string) {
		t.Helper()
		if _, err := r.pool.Exec(t.Context(), `INSERT INTO unconfirmed (id, email, source, consent, created_at, mailed_at, ends_at)
			VALUES (gen_random_uuid(), $1, 'hero_section', '', now(), now(), now())`, name+"@old.example.com"); err != nil {
			t.Fatal(err)
		}
	}
	person := func(name string) erasure.Account {
		id, token := r.issuer.Admin(name + "@example.com")
		r.approve(s, r.joined(s, name+"@example.com"))
		old := r.joined(s, name+"@old.example.com")
		// A wave of another admin for them alone, and one that they have started.
		r.schedule(s, r.asAdmin(), name+"@old.example.com")
		r.schedule(s, r.as(token), "")
		r.remove(s, old)
		unconfirmed(name)
		// What they did to somebody else as staff.
		if _, err := s.AddUser(r.as(token), &waitlistv1.AddUserRequest{Email: "added-by-" + name + "@example.org"}); err != nil {
			t.Fatal(err)
		}
		// An invitation to an address that only the waitlist knows to be theirs.
		_, claim := r.invited(s, name+"@invited.example.com")
		errtest.None(t, r.claim(s, token, claim))
		return erasure.Account{ID: uuid.MustParse(id), Emails: []string{name + "@example.com", name + "@old.example.com"}}
	}
	ann, joann := person("ann"), person("joann")
	const invited = "ann@invited.example.com"
	waittest.Eventually(t, "no email is on its way", func() bool {
		return r.count(emailsQueued+" WHERE state <> 'completed'") == 0
	})
	for _, p := range []erasure.Account{ann, joann} {
		if found := erasuretest.Search(t, r.pool, p.Words()...); len(found) < 3 {
			t.Fatalf("there is nothing to erase but %q", found)
		}
	}
	if found := erasuretest.Search(t, r.pool, invited); len(found) < 3 {
		t.Fatalf("the invited address is in %q only", found)
	}
	others := erasuretest.Search(t, r.pool, joann.Words()...)

	steps := []string{"inbox", "waitlist_users", "unconfirmed", "waves", "mail.river_job", "outbox"}
	erasuretest.Kill(t, r.pool, "inbox", steps...)
	for n := range 2 { // the second is a repetition
		erasuretest.Delete(t, r.nats, r.pool, "waitlist", ann)
		if n == 0 {
			erasuretest.Killed(t, r.pool, steps...)
		}
		if found := erasuretest.Search(t, r.pool, append(ann.Emails, invited)...); len(found) != 0 {
			t.Errorf("an address is still in %q", found)
		}
		if found := erasuretest.Search(t, r.pool, ann.ID.String()); !slices.Equal(found, []string{"outbox.subject", "outbox.payload"}) {
			t.Errorf("the id is in %q, the answer alone may hold it", found)
		}
		if n := r.count("SELECT count(*) FROM outbox WHERE subject = $1 AND type <> $2", ann.ID.String(), erasure.Erased("waitlist")); n != 0 {
			t.Errorf("%d events are about the account", n)
		}
	}
	if found := erasuretest.Search(t, r.pool, joann.Words()...); !slices.Equal(found, others) {
		t.Errorf("the other person is in %q, was in %q", found, others)
	}
	if n := r.count("SELECT count(*) FROM waitlist_users WHERE email LIKE 'joann@%' OR email LIKE 'added-by-%'"); n != 5 {
		t.Errorf("%d of 5 entries of other people are left", n)
	}
	if n := r.count(emailsQueued); n != 3 {
		t.Errorf("%d emails are left, want the other person's three", n)
	}
	hash := sha256.Sum256([]byte(invited))
	if n := r.count("SELECT count(*) FROM outbox WHERE type = $1 AND position($2::bytea IN payload) > 0", erasure.Erased("waitlist"), hash[:]); n != 1 {
		t.Errorf("%d answers tell of the address that only the waitlist knew", n)
	}

	// Whoever comes back with the address is new.
	r.join(s, "ann@example.com")
	_, token := r.issuer.User("ann@example.com")
	if status, err := s.GetStatus(r.as(token), &waitlistv1.GetStatusRequest{}); err != nil || status.GetStatus() != waitlistv1.Status_STATUS_PENDING {
		t.Errorf("came back as %v, %v", status, err)
	}
}
