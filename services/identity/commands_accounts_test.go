package identity_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

// roleEmails are "<to>: <subject>" of the emails about roles, the oldest first, and the texts of all.
func (r *rig) roleEmails() (subjects []string, text string) {
	r.t.Helper()
	rows, err := r.pool().Query(r.t.Context(), `SELECT args->'message'->>'To' || ': ' || (args->'message'->>'Subject'), args->'message'->>'Text'
		FROM mail.river_job WHERE args->>'key' LIKE 'role-changed/%' ORDER BY id`)
	if err != nil {
		r.t.Fatal(err)
	}
	var subject, body string
	if _, err := pgx.ForEachRow(rows, []any{&subject, &body}, func() error {
		subjects, text = append(subjects, subject), text+" "+strings.Join(strings.Fields(body), " ")
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	return subjects, text
}

func (r *rig) isAdmin(s *identityv1.Session) bool {
	r.t.Helper()
	resp, err := r.IsAdmin(r.as(s), &identityv1.IsAdminRequest{})
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.GetIsAdmin()
}

func TestOperatorsMakeAndUnmakeAdmins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	env := environ(r.db, r.nats.URL(), r.kratos.server.URL)
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	id := ann.GetUser().GetId()
	run := func(say, name string, args ...string) {
		t.Helper()
		out, err := command(t, env, name, args...)
		if err != nil || out != fmt.Sprintf("ann@example.com (%s) %s\n", id, say) {
			t.Errorf("%s %v: %q, %v", name, args, out, err)
		}
	}
	refused := func(why, name string, args ...string) {
		t.Helper()
		if out, err := command(t, env, name, args...); err == nil || out != "" || !strings.Contains(err.Error(), why) {
			t.Errorf("%s %v: %q, %v", name, args, out, err)
		}
	}
	run("is an admin now", "grant-admin", " Ann@Example.com")
	run("was an admin already", "grant-admin", id)
	if !r.isAdmin(ann) {
		t.Error("no admin")
	}
	refused("ann@example.com is the only admin", "revoke-admin", id)
	if !r.isAdmin(ann) {
		t.Error("the refusal took the role")
	}
	run("is no admin any more", "revoke-admin", "--force", "ann@example.com")
	run("was no admin", "revoke-admin", "ann@example.com")
	if r.isAdmin(ann) {
		t.Error("still an admin")
	}
	refused("no account has the address bob@example.com", "grant-admin", "bob@example.com")
	refused("no account has the id", "grant-admin", uuid.NewString())
	refused("name one account", "grant-admin")
	refused("name one account", "revoke-admin", id, "ann@example.com")
	refused("name one account", "revoke-admin", "--force")

	log := r.auditLog(r.as(r.session(r.kratos.signIn("boss@fledge.test", true))), 3)
	var told []string
	for _, e := range log {
		told = append(told, e.GetActorEmail()+" "+e.GetActorId()+" "+e.GetSubject()+" "+e.GetAfter())
	}
	nobody := uuid.Nil.String()
	for _, want := range []string{"operator " + nobody + " " + id + ` {"roles": ["admin", "user"]}`, "operator " + nobody + " " + id + ` {"roles": ["user"]}`} {
		if !slices.Contains(told, want) {
			t.Errorf("the audit log %q lacks %q", told, want)
		}
	}
	subjects, _ := r.roleEmails()
	want := []string{
		"ann@example.com: You are now an admin of Fledge", "ann@example.com: You are no longer an admin of Fledge", "boss@fledge.test: You are now an admin of Fledge",
	}
	if !slices.Equal(subjects, want) {
		t.Errorf("emails %q, want %q", subjects, want)
	}
}

func TestOperatorsNameOneOfSeveralAccountsByItsID(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	env := environ(r.db, r.nats.URL(), r.kratos.server.URL)
	old := r.session(r.kratos.signIn("ann@example.com", true))
	young := r.session(r.kratos.signInAs(uuid.New(), "ann@example.com"))
	_, err := command(t, env, "grant-admin", "ann@example.com")
	if err == nil || !strings.Contains(err.Error(), old.GetUser().GetId()) || !strings.Contains(err.Error(), young.GetUser().GetId()) {
		t.Errorf("both have the address: %v", err)
	}
	if _, err := r.pool().Exec(t.Context(), `UPDATE users SET disabled_at = now(), disabled_because = 'gone' WHERE id = $1`, old.GetUser().GetId()); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, env, "grant-admin", "ann@example.com"); err != nil || !strings.Contains(out, young.GetUser().GetId()) {
		t.Errorf("one of them is gone: %q, %v", out, err)
	}
	if out, err := command(t, env, "grant-admin", old.GetUser().GetId()); err != nil || !strings.Contains(out, "the account is disabled") {
		t.Errorf("by its id: %q, %v", out, err)
	}
}

// TestPeopleAreToldWhatTheyMayDo by every change that makes a difference, and by no other.
func TestPeopleAreToldWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	r.setRoles(boss, ann, moderator)
	r.setRoles(boss, ann, admin)
	r.setRoles(boss, ann, admin, moderator)
	r.setRoles(boss, ann, moderator)
	r.setRoles(boss, ann)
	subjects, text := r.roleEmails()
	want := []string{
		"boss@fledge.test: You are now an admin of Fledge", "ann@example.com: You are now a moderator of Fledge", "ann@example.com: You are now an admin of Fledge",
		"ann@example.com: You are now a moderator of Fledge", "ann@example.com: You are no longer a moderator of Fledge",
	}
	if !slices.Equal(subjects, want) {
		t.Errorf("emails %q, want %q", subjects, want)
	}
	for _, said := range []string{
		"Your account boss@fledge.test was made an admin of Fledge, on 2", "manage people, their roles and the waitlist", origin + "/admin",
		"Your account ann@example.com was made a moderator of Fledge, on 2", "read support tickets and answer them, and look at people and the waitlist",
		"is no longer an admin of Fledge but a moderator, since 2", "The role of a moderator of Fledge was taken from your account ann@example.com, on 2",
		"your plan, credits and tickets stay as they are", origin + "/profile", "Write to support@fledge.example",
	} {
		if !strings.Contains(text, said) {
			t.Errorf("no email says %q: %s", said, text)
		}
	}
}
