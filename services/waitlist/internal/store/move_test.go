package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	words "fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// inTx does what a consumer of events does.
func (f *fixture) inTx(do func(tx pgx.Tx) error) {
	f.t.Helper()
	errtest.None(f.t, pgx.BeginFunc(f.t.Context(), f.pool, do))
}

func (f *fixture) moved(account uuid.UUID, to string, former ...string) {
	f.t.Helper()
	f.inTx(func(tx pgx.Tx) error {
		return f.Follow(f.t.Context(), tx, identityclient.AddressChange{Account: account, Email: to, Former: former})
	})
}

func (f *fixture) reported(address string, state mail.State) {
	f.t.Helper()
	f.inTx(func(tx pgx.Tx) error {
		return f.EmailReported(f.t.Context(), tx, mail.Report{Address: address, State: state, Reason: "550 5.1.1"})
	})
}

// TestAnEntryIsNotClaimedWithItsOwnAddress, which its account has again before the first move is read, or when it is
// enabled.
func TestAnEntryIsNotClaimedWithItsOwnAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("ann@old.example")
	ann := uuid.New()
	claimed := func(want string) {
		t.Helper()
		if e := f.find("ann@old.example"); e.ClaimedEmail != want || (e.ClaimedBy == ann) != (want != "") {
			t.Errorf("claimed by %s with %q, want %q", e.ClaimedBy, e.ClaimedEmail, want)
		}
	}
	f.moved(ann, "ann@old.example", "ann@old.example")
	claimed("")
	f.moved(ann, "ann@old.example", "ann@old.example", "ann@new.example")
	claimed("")
	f.moved(ann, "", "ann@old.example")
	claimed("ann@old.example")
	f.moved(ann, "ann@old.example")
	claimed("")
}

// TestAMoveUsesNoInvitation: whose address changes while they wait is reminded, and their invitation ends. A claim by
// the link does use it.
func TestAMoveUsesNoInvitation(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	f.joined("moved@example.com")
	f.moved(uuid.New(), "new@example.com", "moved@example.com")
	f.invited("moved@example.com", 8, "")
	claimed := f.invited("claimed@example.com", 8, "")
	if _, changed, err := f.Claim(t.Context(), f.hash(claimed), store.Account{ID: uuid.New(), Email: "r@relay.example.com"}); err != nil || !changed {
		t.Fatal(changed, err)
	}
	f.remind()
	if got, want := f.reminded(), []string{"moved@example.com"}; !slices.Equal(got, want) {
		t.Errorf("reminded %v, want %v", got, want)
	}
	f.exec(`UPDATE waitlist_users SET invitation_ends_at = now()`)
	f.expire()
	for address, want := range map[string]entry.Status{"moved@example.com": entry.Pending, "claimed@example.com": entry.Approved} {
		if got := f.find(address).Status; got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
}

// TestAReportIsAboutTheAddressThatIsWrittenTo: of one to which the list wrote before, a complaint alone changes something.
func TestAReportIsAboutTheAddressThatIsWrittenTo(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("old@example.com")
	f.moved(uuid.New(), "new@example.com", "old@example.com")
	f.invited("old@example.com", 1, "")
	is := func(state mail.State, left bool) {
		t.Helper()
		if e := f.find("old@example.com"); e.Mail != state || e.LeftAt.IsZero() == left {
			t.Errorf("its email is %q, left %s; want %q, %t", e.Mail, e.LeftAt, state, left)
		}
	}
	f.reported("old@example.com", mail.Bounced)
	is(mail.Sent, false)
	f.reported("new@example.com", mail.Bounced)
	is(mail.Bounced, false)
	f.reported("old@example.com", mail.Complained)
	is(mail.Bounced, true)
}

// TestABounceOutlivesTheNoteThatItsEmailWasSent, which may come later: some providers tell at once whom they do not write to.
func TestABounceOutlivesTheNoteThatItsEmailWasSent(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	added, _, err := f.Add(f.staff(), email(t, "ada@example.com"))
	errtest.None(t, err)
	approved, _, err := f.Approve(f.staff(), added.ID)
	errtest.None(t, err)
	f.signedUp("bob@example.com")
	signUps, _, err := f.ListUnconfirmed(t.Context(), "", nil, 1)
	errtest.None(t, err)
	for address, key := range map[string]string{
		"ada@example.com": words.Approval(approved, "", "", "").Key, "bob@example.com": words.Confirm(words.SignUp{ID: signUps[0].ID, Emails: 1}, "").Key,
	} {
		f.reported(address, mail.Bounced)
		f.inTx(func(tx pgx.Tx) error { return store.EmailEnded(t.Context(), tx, key, mail.Outcome{State: mail.Sent}) })
	}
	signUps, _, err = f.ListUnconfirmed(t.Context(), "", nil, 1)
	if e := f.find("ada@example.com"); err != nil || e.Mail != mail.Bounced || signUps[0].Mail != "bounced" {
		t.Errorf("the emails are %q and %q, %v", e.Mail, signUps[0].Mail, err)
	}
}

// TestAReportReachesASignUpBesideAnEntry that an account with the same address has claimed.
func TestAReportReachesASignUpBesideAnEntry(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	if _, _, err := f.Add(f.staff(), email(t, "old@example.com")); err != nil {
		t.Fatal(err)
	}
	f.moved(uuid.New(), "new@example.com", "old@example.com")
	f.signedUp("new@example.com")
	f.reported("new@example.com", mail.Bounced)
	signUps, _, err := f.ListUnconfirmed(t.Context(), "", nil, 1)
	if err != nil || len(signUps) != 1 || signUps[0].Mail != "bounced" {
		t.Errorf("%+v, %v", signUps, err)
	}
}

// TestTheLinksToConfirmWorkForWhomTheListHas: staff have added them, or the setting was switched off and they have signed
// up again, or both have happened at once.
func TestTheLinksToConfirmWorkForWhomTheListHas(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	at := fixtureWith(t, f.pool, patient) // while nothing is to be confirmed
	for name, add := range map[string]func(address string){
		"added":    func(address string) { _, _, _ = f.Add(f.staff(), email(t, address)) },
		"imported": func(address string) { f.imported(address) },
		"again":    func(address string) { at.joined(address) },
		"race": func(address string) {
			f.exec(`ALTER TABLE unconfirmed RENAME TO kept; CREATE TABLE unconfirmed (LIKE kept INCLUDING ALL)`)
			at.joined(address)
			f.exec(`DROP TABLE unconfirmed; ALTER TABLE kept RENAME TO unconfirmed`)
		},
	} {
		address := name + "@example.com"
		f.signedUp(address)
		token := f.tokenOf(address)
		add(address)
		if left := f.unconfirmed(name); name != "race" && len(left) != 0 {
			t.Errorf("%s: %v is listed twice", name, left)
		}
		for range 2 {
			if changed, err := f.Confirm(t.Context(), token); changed || err != nil {
				t.Errorf("%s: confirmed anew: %t, %v", name, changed, err)
			}
		}
		var confirmed bool
		if err := f.pool.QueryRow(t.Context(), `SELECT confirmed_at IS NOT NULL FROM waitlist_users WHERE email = $1`, address).Scan(&confirmed); err != nil || !confirmed {
			t.Errorf("%s: noted: %t, %v", name, confirmed, err)
		}
		_, changed, err := f.Leave(t.Context(), token)
		if err != nil || !changed || f.find(address).Status != entry.Rejected {
			t.Errorf("%s: left: %t, %v", name, changed, err)
		}
	}
}

// TestAnErasedAccountClaimsNothing, by a link or by an address that it has had, with which somebody else may have signed up.
func TestAnErasedAccountClaimsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	ann := uuid.New()
	f.inTx(func(tx pgx.Tx) error {
		return bus.Append(t.Context(), tx, bus.Event{Type: erasure.Erased("waitlist"), Subject: ann.String(), Payload: &erasurev1.UserErased{UserId: ann.String()}})
	})
	freed := f.joined("freed@example.com")
	if _, _, err := f.Approve(f.staff(), freed.ID); err != nil {
		t.Fatal(err)
	}
	if _, changed, err := f.Claim(t.Context(), f.hash(freed), store.Account{ID: ann, Email: "ann@new.example"}); !errors.Is(err, erasure.ErrErased) || changed {
		t.Errorf("by the link: %t, %v", changed, err)
	}
	f.moved(ann, "ann@new.example", "freed@example.com")
	if e := f.find("freed@example.com"); e.ClaimedBy != uuid.Nil || e.ClaimedEmail != "" {
		t.Errorf("claimed by %s with %q", e.ClaimedBy, e.ClaimedEmail)
	}
}
