package identity_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

// formerEmails are those of the events about the account's address, the oldest first.
func (o operation) formerEmails() (told [][]string) {
	o.t.Helper()
	rows, err := o.db.Query(o.t.Context(), "SELECT payload FROM outbox WHERE type LIKE '%.email_changed' AND subject = $1 ORDER BY seq", o.account.GetId())
	errtest.None(o.t, err)
	var payload []byte
	if _, err := pgx.ForEachRow(rows, []any{&payload}, func() error {
		var e eventsv1.UserEmailChanged
		told = append(told, nil)
		if err := proto.Unmarshal(payload, &e); err != nil {
			return err
		}
		told[len(told)-1] = e.GetFormerEmails()
		return nil
	}); err != nil {
		o.t.Fatal(err)
	}
	return told
}

func TestOperatorsChangeAddresses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	id := uuid.MustParse(ann.GetUser().GetId())
	r.mac(ann)
	o := r.operation(ann)
	o.run("has the address ann@new.example now, and is signed out on 2 devices\n", "change-address", "ann@example.com", " Ann@New.Example", "Lost the old one")
	if got := r.kratos.addresses[id.String()]; got != "ann@new.example" {
		t.Errorf("Kratos has %q", got)
	}
	if _, err := r.ListDevices(r.as(ann), &identityv1.ListDevicesRequest{}); err == nil {
		t.Error("a session with the old address goes on")
	}
	again := r.session(r.kratos.signInAs(id, "ann@new.example"))
	if u := again.GetUser(); u.GetId() != id.String() || u.GetEmail() != "ann@new.example" {
		t.Errorf("signed in as %v", u)
	}
	o.refused(`no account has the address or id "ann@example.com"`, "change-address", "ann@example.com", "x@example.com")
	o.account.Email = "ann@new.example"
	o.run("has this address already\n", "change-address", id.String(), "ann@new.example")
	o.run("has the address ann@example.com now, and is signed out on 1 devices\n", "change-address", id.String(), "ann@example.com")
	if got, want := o.formerEmails(), [][]string{{"ann@example.com"}, {"ann@new.example"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("told of %q, want %q", got, want)
	}
	for to, want := range map[string]string{
		"ann@example.com": "our staff has changed the address of your Fledge account, which was ann@example.com",
		"ann@new.example": "our staff has made ann@new.example the address of your Fledge account",
	} {
		var text string
		if err := r.db.QueryRow(t.Context(), `SELECT args->'message'->>'Text' FROM mail.river_job
			WHERE args->'message'->>'To' = $1 AND args->>'key' LIKE 'address-%' ORDER BY id LIMIT 1`, to).Scan(&text); err != nil {
			t.Fatal(err)
		}
		if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, want) {
			t.Errorf("%s reads %q", to, text)
		}
	}
	if got, want := o.recorded(boss, 2), `operator: user.address_changed {"sessions": 2}, Lost the old one`; len(got) != 2 || got[0] != want {
		t.Errorf("recorded %q", got)
	}
}

// TestAnAddressThatOnlyKratosGotIsGivenAgain: the commit after Kratos' answer was lost.
func TestAnAddressThatOnlyKratosGotIsGivenAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	o := r.operation(r.session(r.kratos.signIn("ann@example.com", true)))
	for _, statement := range []string{
		`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = 'admin_shutdown'; END $$`,
		`CREATE CONSTRAINT TRIGGER lose AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()`,
	} {
		if _, err := r.db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	o.refused("the same command again does the rest", "change-address", "ann@example.com", "ann@new.example")
	if got := r.kratos.addresses[o.account.GetId()]; got != "ann@new.example" || o.formerEmails() != nil {
		t.Errorf("Kratos has %q, told of %q", got, o.formerEmails())
	}
	if _, err := r.db.Exec(t.Context(), "DROP FUNCTION lose CASCADE"); err != nil {
		t.Fatal(err)
	}
	o.run("has the address ann@new.example now, and is signed out on 1 devices\n", "change-address", "ann@example.com", "ann@new.example")
	if len(o.formerEmails()) != 1 || o.auditLogNow() != 1 {
		t.Errorf("told of %q, %d records", o.formerEmails(), o.auditLogNow())
	}
}

func TestAnAddressBelongsToOneAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	r.session(r.kratos.signIn("bob@example.com", true))
	r.kratos.taken = "cyd@example.com"
	o := r.operation(ann)
	for _, taken := range []string{"bob@example.com", "cyd@example.com"} {
		o.refused("another account has the address "+taken, "change-address", "ann@example.com", taken)
	}
	o.refused("name the new address", "change-address", "ann@example.com")
	o.refused("the new address: Please enter a valid email address", "change-address", "ann@example.com", "ann")
	o.run("is disabled, and signed out", "disable", "ann@example.com")
	o.refused("is disabled, and nobody can sign in to it", "change-address", "ann@example.com", "ann@new.example")
	o.run("is disabled, and will be erased on ", "delete-account", "ann@example.com")
	o.refused("is going to be deleted", "change-address", "ann@example.com", "ann@new.example")
	if got := o.formerEmails(); got != nil || o.auditLogNow() != 2 {
		t.Errorf("told of %q, %d records", got, o.auditLogNow())
	}
}

// moves gives the account another address.
func (o *operation) moves(to string) {
	o.t.Helper()
	o.run("has the address", "change-address", o.account.GetId(), to)
	o.account.Email = to
}

// TestWhoHadAnAddressLeavesUnderIt, too, unless it has become another account's, even for a while.
func TestWhoHadAnAddressLeavesUnderIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.operation(r.session(r.kratos.signIn("ann@example.com", true)))
	bob := r.operation(r.session(r.kratos.signIn("bob@example.com", true)))
	for _, to := range []string{"ann@second.example", "ann@third.example", "ann@fourth.example"} {
		ann.moves(to)
	}
	// A sign-up, a command, and what Kratos says at a sign-in.
	stranger := r.operation(r.session(r.kratos.signInAs(uuid.New(), "ann@example.com")))
	stranger.moves("stranger@example.com")
	bob.moves("ann@second.example")
	bob.moves("bob@example.com")
	r.session(r.kratos.signInAs(uuid.MustParse(bob.account.GetId()), "ann@third.example"))
	r.session(r.kratos.signInAs(uuid.MustParse(bob.account.GetId()), "bob@example.com"))
	ann.moves("ann@fifth.example")
	for who, want := range map[*operation][]string{
		&ann:      {"ann@fifth.example", "ann@fourth.example"},
		&bob:      {"bob@example.com", "ann@second.example", "ann@third.example"},
		&stranger: {"stranger@example.com", "ann@example.com"},
	} {
		fresh := r.session(r.kratos.signInAs(uuid.MustParse(who.account.GetId()), want[0]))
		exported, err := r.ExportAccount(r.as(fresh), &identityv1.ExportAccountRequest{})
		if err != nil || !slices.Equal(exported.GetAccount().GetEmails(), want) {
			t.Errorf("taken along: %v, %v; want %q", exported.GetAccount(), err, want)
		}
	}
	if told := ann.formerEmails(); !slices.Equal(told[len(told)-1], []string{"ann@fourth.example"}) {
		t.Errorf("told of %q", told)
	}
}

// TestALateSignInTakesNothingBack: another account had the address before this one was known to have left it.
func TestALateSignInTakesNothingBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.operation(r.session(r.kratos.signIn("ann@example.com", true)))
	stranger := r.operation(r.session(r.kratos.signInAs(uuid.New(), "ann@example.com")))
	r.session(r.kratos.signInAs(uuid.MustParse(ann.account.GetId()), "ann@new.example"))
	stranger.moves("stranger@example.com")
	ann.account.Email = "ann@new.example"
	ann.moves("ann@newer.example")
	if got, want := ann.formerEmails(), [][]string{nil, {"ann@new.example"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("told of %q, want %q", got, want)
	}
}

// TestARecordNamesNobodyWhoWasErased, not even by an address that is another's now.
func TestARecordNamesNobodyWhoWasErased(t *testing.T) {
	t.Parallel()
	r := newRig(t, "DELETION_GRACE=0s", "SMTP_ADDR="+smtptest.Start(t, nil).Addr(), "SMTP_TLS=none")
	r.session(r.kratos.signIn("boss@fledge.test", true))
	ann := r.operation(r.session(r.kratos.signIn("ann@old.example", true)))
	ann.moves("ann@new.example")
	stranger := r.session(r.kratos.signInAs(uuid.New(), "ann@old.example"))
	r.operation(stranger).run("is disabled, and", "disable", stranger.GetUser().GetId(), "Spam")
	id := uuid.MustParse(ann.account.GetId())
	waittest.Eventually(t, "both changes are recorded", func() bool {
		var n int
		err := r.db.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE subject_label = 'ann@old.example'").Scan(&n)
		return err == nil && n == 2
	})
	r.deleteAccount(r.session(r.kratos.signInAs(id, "ann@new.example")))
	if deleted := r.awaitDeleted(); !slices.Equal(deleted.GetEmails(), []string{"ann@new.example"}) {
		t.Errorf("the services are told %v", deleted)
	}
	for _, name := range erasure.Services() {
		r.answer(r.colleague(name), name, id)
	}
	waittest.Eventually(t, "the account is erased", func() bool {
		var finished bool
		err := r.db.QueryRow(t.Context(), "SELECT finished_at IS NOT NULL FROM erasures WHERE user_id = $1", id).Scan(&finished)
		return err == nil && finished
	})
	rows, err := r.db.Query(t.Context(), "SELECT subject FROM audit_log WHERE audit_log::text LIKE '%ann@%'")
	errtest.None(t, err)
	if subjects, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || !slices.Equal(subjects, []string{stranger.GetUser().GetId()}) {
		t.Errorf("records name %q, %v", subjects, err)
	}
}

// TestWhatKratosMissedIsSaidAndEndedByARepeat: the change itself stands.
func TestWhatKratosMissedIsSaidAndEndedByARepeat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	o := r.operation(r.session(r.kratos.signIn("ann@example.com", true)))
	id := o.account.GetId()
	r.kratos.enrol(id, true)
	for _, c := range []struct {
		say, again string
		args       []string
	}{
		{"has no second factor any more, and is signed out on 2 devices\n", "has no second factor\n", []string{"reset-second-factor", id}},
		{"has the address ann@new.example now, and is signed out on 1 devices\n", "has this address already\n", []string{"change-address", id, "ann@new.example"}},
	} {
		r.session(r.kratos.signInAs(uuid.MustParse(id), "ann@example.com"))
		r.kratos.sticky.Store(true)
		out, err := command(t, o.env, c.args[0], c.args[1:]...)
		if want := "ann@example.com (" + id + ") " + c.say; out != want || err == nil || !strings.Contains(err.Error(), "the sessions in Kratos are left") {
			t.Errorf("%v: %q, %v", c.args, out, err)
		}
		r.kratos.sticky.Store(false)
		if c.args[0] == "change-address" {
			o.account.Email = "ann@new.example"
		}
		o.run(c.again, c.args[0], c.args[1:]...)
		if r.kratos.isSignedIn(id) {
			t.Errorf("%v: Kratos' session goes on", c.args)
		}
	}
}
