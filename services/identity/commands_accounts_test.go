package identity_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// roleEmails are "<to>: <subject>" of the emails about roles, the oldest first, and the texts of all, with DAY
// and TIME where one names the moment at which it was written.
func (r *rig) roleEmails() (subjects []string, text string) {
	r.t.Helper()
	rows, err := r.db.Query(r.t.Context(), `SELECT args->'message'->>'To' || ': ' || (args->'message'->>'Subject'), args->'message'->>'Text'
		FROM mail.river_job WHERE args->>'key' LIKE 'role-changed/%' ORDER BY id`)
	errtest.None(r.t, err)
	var subject, body string
	if _, err := pgx.ForEachRow(rows, []any{&subject, &body}, func() error {
		subjects, text = append(subjects, subject), text+" "+strings.Join(strings.Fields(body), " ")
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	return subjects, regexp.MustCompile(`\d{1,2} \w+ \d{4} at \d{2}:\d{2} UTC`).ReplaceAllString(text, "DAY at TIME UTC")
}

func (r *rig) isAdmin(s *identityv1.Session) bool {
	r.t.Helper()
	resp, err := r.IsAdmin(r.as(s), &identityv1.IsAdminRequest{})
	errtest.None(r.t, err)
	return resp.GetIsAdmin()
}

// operation runs commands of an operator's about one account.
type operation struct {
	*rig
	env     []string
	account *identityv1.User
}

func (r *rig) operation(on *identityv1.Session) operation {
	return operation{r, environ(r.url, r.nats.URL(), r.kratos.server.URL), on.GetUser()}
}

// run expects the command to say what it has done, which may be the beginning of the line.
func (o operation) run(say, name string, args ...string) {
	o.t.Helper()
	out, err := command(o.t, o.env, name, args...)
	if err != nil || !strings.HasPrefix(out, fmt.Sprintf("%s (%s) %s", o.account.GetEmail(), o.account.GetId(), say)) || strings.Count(out, "\n") != 1 {
		o.t.Errorf("%s %v: %q, %v", name, args, out, err)
	}
}

func (o operation) refused(why, name string, args ...string) {
	o.t.Helper()
	if out, err := command(o.t, o.env, name, args...); err == nil || out != "" || !strings.Contains(err.Error(), why) {
		o.t.Errorf("%s %v: %q, %v", name, args, out, err)
	}
}

// recorded are "<who>: <what>, <why>" of the audit log about an account, the oldest first.
func (o operation) recorded(as *identityv1.Session, want int) (lines []string) {
	o.t.Helper()
	for _, e := range slices.Backward(o.auditLog(o.as(as), want)) {
		if e.GetSubject() == o.account.GetId() {
			lines = append(lines, e.GetActorEmail()+": "+e.GetAction()+" "+e.GetAfter()+", "+e.GetReason())
		}
		if e.GetActorId() != uuid.Nil.String() || e.GetClientIp() != "" {
			o.t.Errorf("recorded for an account or a client: %v", e)
		}
	}
	return lines
}

func TestOperatorsMakeAndUnmakeAdmins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	id := ann.GetUser().GetId()
	o := r.operation(ann)
	o.run("is an admin now\n", "grant-admin", " Ann@Example.com", "Takes over support")
	o.run("was an admin already\n", "grant-admin", id)
	if !r.isAdmin(ann) {
		t.Error("no admin")
	}
	for _, name := range []string{"revoke-admin", "disable", "delete-account"} {
		o.refused("ann@example.com is the only admin who can sign in", name, id)
	}
	if !r.isAdmin(ann) {
		t.Error("the refusal took the role")
	}
	o.run("is no admin any more\n", "revoke-admin", "--force", "ann@example.com")
	o.run("was no admin\n", "revoke-admin", "ann@example.com")
	if r.isAdmin(ann) {
		t.Error("still an admin")
	}
	want := []string{`operator: user.roles_changed {"roles": ["admin", "user"]}, Takes over support`, `operator: user.roles_changed {"roles": ["user"]}, `}
	if got := o.recorded(r.session(r.kratos.signIn("boss@fledge.test", true)), 2); !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	subjects, _ := r.roleEmails()
	mails := []string{
		"ann@example.com: You are now an admin of Fledge", "ann@example.com: You are no longer an admin of Fledge", "boss@fledge.test: You are now an admin of Fledge",
	}
	if !slices.Equal(subjects, mails) {
		t.Errorf("emails %q, want %q", subjects, mails)
	}
}

func TestOperatorsDisableEnableAndDeleteAccounts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	r.mac(ann)
	o := r.operation(ann)
	signsIn := func(want bool) {
		t.Helper()
		if _, err := r.createSession(r.kratos.signIn("ann@example.com", true)); (err == nil) != want {
			t.Errorf("signing in: %v, want it to work: %t", err, want)
		}
	}
	o.run("is disabled, and signed out on 2 devices\n", "disable", "ann@example.com", "Spam")
	o.run("was disabled already\n", "disable", "ann@example.com")
	if _, err := r.ListDevices(r.as(ann), &identityv1.ListDevicesRequest{}); err == nil {
		t.Error("a session goes on")
	}
	signsIn(false)
	o.run("can be signed in to again\n", "enable", ann.GetUser().GetId(), "A mistake")
	o.run("was enabled already\n", "enable", ann.GetUser().GetId())
	waittest.Eventually(t, "Kratos knows it", func() bool {
		_, err := r.createSession(r.kratos.signIn("ann@example.com", true))
		return err == nil
	})
	o.run("is disabled, and will be erased on ", "delete-account", "ann@example.com", "Asked for it by letter")
	o.refused("ann@example.com is going to be deleted", "delete-account", "ann@example.com")
	o.refused("ann@example.com is going to be deleted", "disable", "ann@example.com")
	o.run("can be signed in to again\n", "enable", "ann@example.com")
	var told []string
	rows, err := r.db.Query(t.Context(), `SELECT args->'message'->>'Subject' FROM mail.river_job WHERE args->'message'->>'To' = 'ann@example.com' AND args->>'key' NOT LIKE 'new-device/%' ORDER BY id`)
	errtest.None(t, err)
	var subject string
	if _, err := pgx.ForEachRow(rows, []any{&subject}, func() error { told = append(told, subject); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{
		"Your Fledge account is disabled", "Your Fledge account is enabled again", "Your Fledge account will be deleted", "Your Fledge account stays",
	}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	got := o.recorded(boss, 4)
	for i, want := range []string{
		`operator: user.disabled {"state": "disabled"}, Spam`, `operator: user.enabled {"state": "active"}, A mistake`,
		`operator: user.deletion_begun {`, `operator: user.enabled {"state": "active"}, `,
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("record %d of %q is not %q", i, got, want)
		}
	}
}

func TestOperatorsAreToldWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	o := r.operation(ann)
	for _, name := range []string{"grant-admin", "revoke-admin", "disable", "enable", "delete-account", "reset-second-factor"} {
		o.refused(`no account has the address or id "bob@example.com"`, name, "bob@example.com")
		o.refused("no account has the address or id", name, uuid.NewString())
		o.refused(address.ErrLetters.Error(), name, "jörg@example.com")
		o.refused("name one account", name)
		o.refused("has no flag --dry-run", name, "ann@example.com", "--dry-run")
		o.refused("name one account", name, "ann@example.com", " Bob@example.com")
		o.refused("name one account", name, "ann@example.com", "jörg@example.com")
		o.refused("name one account", name, "ann@example.com", uuid.NewString())
		o.refused("name one account", name, "ann@example.com", "because", "of this")
		o.refused("the reason", name, "ann@example.com", strings.Repeat("x", 501))
		o.env = append(o.env, "SITE_ORIGIN=")
		o.refused("SITE_ORIGIN", name, "ann@example.com")
		o.env = o.env[:len(o.env)-1]
	}
	o.refused("has no flag --force", "disable", "--force", "ann@example.com")
	o.refused("has no flag --forc", "revoke-admin", "ann@example.com", "--forc")
	o.refused("name one account", "change-address", "ann@example.com", "anna@example.com", "bob@example.com")
	if got := o.auditLogNow(); got != 0 {
		t.Errorf("%d records", got)
	}
}

// auditLogNow counts the records that were made, whether they have arrived or not.
func (r *rig) auditLogNow() (n int) {
	r.t.Helper()
	errtest.None(r.t, r.db.QueryRow(r.t.Context(), "SELECT count(*) FROM outbox WHERE type LIKE '%.staff.action'").Scan(&n))
	return n
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
		"Your account boss@fledge.test was made an admin of Fledge, on DAY at TIME UTC.", "manage people, their roles and the waitlist", origin + "/admin",
		"Your account ann@example.com was made a moderator of Fledge, on DAY at TIME UTC.", "read support tickets and answer them, and look at people and the waitlist",
		"is no longer an admin of Fledge but a moderator, since DAY at TIME UTC.", "The role of a moderator of Fledge was taken from your account ann@example.com, on DAY at TIME UTC.",
		"your plan, credits and tickets stay as they are", origin + "/profile", "Write to support@fledge.test",
	} {
		if !strings.Contains(text, said) {
			t.Errorf("no email says %q: %s", said, text)
		}
	}
}
