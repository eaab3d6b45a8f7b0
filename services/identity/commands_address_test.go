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
)

// formerEmails are those of the events about the account's address, the oldest first.
func (o operation) formerEmails() (told [][]string) {
	o.t.Helper()
	rows, err := o.pool().Query(o.t.Context(), "SELECT payload FROM outbox WHERE type LIKE '%.email_changed' AND subject = $1 ORDER BY seq", o.account.GetId())
	if err != nil {
		o.t.Fatal(err)
	}
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
		if err := r.pool().QueryRow(t.Context(), `SELECT args->'message'->>'Text' FROM mail.river_job
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
	o.run("is disabled, and will be erased on ", "delete-account", "ann@example.com")
	o.refused("is going to be deleted", "change-address", "ann@example.com", "ann@new.example")
	if got := o.formerEmails(); got != nil || o.auditLogNow() != 1 {
		t.Errorf("told of %q, %d records", got, o.auditLogNow())
	}
}

// TestWhoHadAnAddressLeavesUnderIt, too, unless it has become another account's.
func TestWhoHadAnAddressLeavesUnderIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	o := r.operation(ann)
	o.run("has the address", "change-address", "ann@example.com", "ann@second.example")
	o.account.Email = "ann@second.example"
	o.run("has the address", "change-address", "ann@second.example", "ann@third.example")
	o.account.Email = "ann@third.example"
	r.session(r.kratos.signInAs(uuid.New(), "ann@example.com"))
	var emails []string
	if err := r.pool().QueryRow(t.Context(), "SELECT former_emails FROM users WHERE id = $1", o.account.GetId()).Scan(&emails); err != nil ||
		!slices.Equal(emails, []string{"ann@example.com", "ann@second.example"}) {
		t.Fatalf("had %q, %v", emails, err)
	}
	fresh := r.session(r.kratos.signInAs(uuid.MustParse(o.account.GetId()), "ann@third.example"))
	exported, err := r.ExportAccount(r.as(fresh), &identityv1.ExportAccountRequest{})
	if err != nil || !slices.Equal(exported.GetAccount().GetEmails(), []string{"ann@third.example", "ann@second.example"}) {
		t.Errorf("taken along: %v, %v", exported.GetAccount(), err)
	}
}
