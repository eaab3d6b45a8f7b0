package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	words "fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

func confirming(t testing.TB) *fixture {
	t.Helper()
	cfg := patient
	cfg.ConfirmSignUps = true
	return newFixture(t, cfg)
}

// signedUp fills in the form and returns whether an email asks to confirm it.
func (f *fixture) signedUp(address string) bool {
	f.t.Helper()
	asked, err := f.Join(f.t.Context(), email(f.t, address), entry.CTASection)
	errtest.None(f.t, err)
	return asked
}

func (f *fixture) tokenOf(address string) (token uuid.UUID) {
	f.t.Helper()
	errtest.None(f.t, f.pool.QueryRow(f.t.Context(), `SELECT token FROM unconfirmed WHERE email = $1`, address).Scan(&token))
	return token
}

func (f *fixture) unconfirmed(search string) (emails []string) {
	f.t.Helper()
	signUps, _, err := f.ListUnconfirmed(f.t.Context(), search, nil, store.MaxPage)
	errtest.None(f.t, err)
	for _, u := range signUps {
		emails = append(emails, u.Email)
	}
	return emails
}

func TestASignUpIsOnTheListOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	if !f.signedUp("Ada@example.com") || f.signedUp("ada@example.com") {
		t.Error("the first sign-up alone is asked to confirm")
	}
	if f.count("waitlist_users") != 0 || f.count("mail.river_job") != 1 || !slices.Equal(f.unconfirmed("ada"), []string{"ada@example.com"}) {
		t.Fatalf("%d entries, %d emails, unconfirmed %v", f.count("waitlist_users"), f.count("mail.river_job"), f.unconfirmed("ada"))
	}
	token := f.tokenOf("ada@example.com")
	f.clock.Advance(time.Hour)
	for n := range 2 { // a link may be used again
		if changed, err := f.Confirm(t.Context(), token); err != nil || changed != (n == 0) {
			t.Errorf("confirmed %d times: %t, %v", n+1, changed, err)
		}
	}
	e := f.find("ada@example.com")
	if e.Status != entry.Pending || e.Source != entry.CTASection || !e.CreatedAt.Equal(epoch.Add(time.Hour)) || len(f.unconfirmed("")) != 0 {
		t.Errorf("%+v, unconfirmed %v", e, f.unconfirmed(""))
	}
	var consent string
	var consented, confirmed time.Time
	err := f.pool.QueryRow(t.Context(), `SELECT consent, consented_at, confirmed_at FROM waitlist_users`).Scan(&consent, &consented, &confirmed)
	if err != nil || consent != entry.Consent || !consented.Equal(epoch) || !confirmed.Equal(epoch.Add(time.Hour)) {
		t.Errorf("consent %q of %s, confirmed %s, %v", consent, consented, confirmed, err)
	}
	if f.signedUp("ada@example.com") || len(f.unconfirmed("")) != 0 {
		t.Error("who is on the list is asked again")
	}
	// The other link of the same email takes the person off the list.
	if _, changed, err := f.Leave(t.Context(), token); err != nil || !changed || f.find("ada@example.com").Status != entry.Rejected {
		t.Errorf("left: %t, %v", changed, err)
	}
	if _, err := f.Confirm(t.Context(), token); !errors.Is(err, fault.NotFound) {
		t.Errorf("confirmed after leaving: %v", err)
	}
}

// TestConsentIsKeptWithEachSignUp, also where nothing is to be confirmed; of people whom staff add there is none.
func TestConsentIsKeptWithEachSignUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("ada@example.com")
	if _, _, err := f.Add(f.staff(), email(t, "added@example.com")); err != nil {
		t.Fatal(err)
	}
	f.imported("imported@example.com")
	var told []string
	errtest.None(t, f.pool.QueryRow(t.Context(), `SELECT array_agg(concat_ws(' ', email, consent, consented_at = created_at, confirmed_at) ORDER BY email) FROM waitlist_users`).Scan(&told))
	if want := []string{"ada@example.com " + entry.Consent + " t", "added@example.com ", "imported@example.com "}; !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

// TestConsentOutlivesThatStaffWereFaster than the person with the link.
func TestConsentOutlivesThatStaffWereFaster(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@example.com")
	token := f.tokenOf("ada@example.com")
	f.clock.Advance(time.Minute)
	f.imported("ada@example.com")
	if _, err := f.Confirm(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	var consent string
	var before, confirmed bool
	errtest.None(t, f.pool.QueryRow(t.Context(), `SELECT consent, consented_at < updated_at, confirmed_at IS NOT NULL FROM waitlist_users`).Scan(&consent, &before, &confirmed))
	if consent != entry.Consent || !before || !confirmed {
		t.Errorf("consent %q, given before %t, confirmed %t", consent, before, confirmed)
	}
}

func TestAnAddressGetsFewEmailsToConfirm(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	for n := range 5 {
		if asked := f.signedUp("ada@example.com"); asked != (n < 3) {
			t.Errorf("sign-up %d: asked %t", n+1, asked)
		}
		f.signedUp("ada@example.com")
		f.clock.Advance(time.Hour + time.Second)
	}
	if n := f.count("mail.river_job"); n != 3 {
		t.Errorf("%d emails", n)
	}
}

func TestALinkToConfirmEnds(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@example.com")
	token := f.tokenOf("ada@example.com")
	f.clock.Advance(store.ConfirmWithin)
	if _, err := f.Confirm(t.Context(), token); !errors.Is(err, fault.NotFound) {
		t.Errorf("confirmed after the end: %v", err)
	}
	if !f.signedUp("ada@example.com") {
		t.Error("the next sign-up does not send the link again")
	}
	if changed, err := f.Confirm(t.Context(), token); err != nil || !changed {
		t.Errorf("the same link after it was sent again: %t, %v", changed, err)
	}
	if _, err := f.Confirm(t.Context(), uuid.New()); !errors.Is(err, fault.NotFound) {
		t.Errorf("an unknown token: %v", err)
	}
}

func TestWhoeverDidNotSignUpIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@example.com")
	token := f.tokenOf("ada@example.com")
	if _, _, err := f.Leave(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	for _, later := range []time.Duration{2 * time.Hour, store.KeepUnconfirmed} {
		f.clock.Advance(later)
		if err := f.UnconfirmedCleanup().Run(t.Context()); err != nil || f.signedUp("ada@example.com") {
			t.Errorf("they are asked again after %s, %v", later, err)
		}
	}
	if listed := f.unconfirmed(""); len(listed) != 0 {
		t.Errorf("staff see %v", listed)
	}
	if _, err := f.Confirm(t.Context(), token); !errors.Is(err, fault.NotFound) {
		t.Errorf("confirmed all the same: %v", err)
	}
	// So they are in an export, and have agreed to nothing.
	if e := f.find("ada@example.com"); e.Status != entry.Rejected || !e.LeftAt.Equal(epoch) || e.Consent != "" || !e.ConfirmedAt.IsZero() {
		t.Errorf("%+v", e)
	}
}

// TestARefusalOutlivesAnImportAndAForm, whether or not sign-ups are confirmed then; staff may ask anew.
func TestARefusalOutlivesAnImportAndAForm(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	refused := epoch.Add(time.Minute)
	addresses := []string{"imported@example.com", "form@example.com", "added@example.com"}
	for _, address := range addresses {
		f.signedUp(address)
	}
	f.clock.Advance(time.Minute)
	for _, address := range addresses {
		if _, _, err := f.Leave(t.Context(), f.tokenOf(address)); err != nil {
			t.Fatal(err)
		}
	}
	f.clock.Advance(time.Minute)
	f.imported("imported@example.com")
	plain := fixtureWith(t, f.pool, patient)
	if _, err := plain.Join(t.Context(), email(t, "form@example.com"), entry.CTASection); err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses[:2] {
		if e := f.find(address); e.Status != entry.Rejected || !e.LeftAt.Equal(refused) {
			t.Errorf("%s is %s, left at %s", address, e.Status, e.LeftAt)
		}
	}
	if e, _, err := f.Add(f.staff(), email(t, "added@example.com")); err != nil || e.Status != entry.Pending || !f.find("added@example.com").LeftAt.IsZero() {
		t.Errorf("added by staff: %+v, %v", e, err)
	}
}

// TestWhoRefusedInTheVersionBefore, which kept them aside, is off the list after an hour.
func TestWhoRefusedInTheVersionBefore(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@example.com")
	f.signedUp("bob@example.com")
	f.exec(`UPDATE unconfirmed SET refused_at = mailed_at WHERE email = 'ada@example.com'`)
	for range 2 {
		errtest.None(t, f.UnconfirmedCleanup().Run(t.Context()))
	}
	if e := f.find("ada@example.com"); e.Status != entry.Rejected || e.LeftAt.IsZero() || !slices.Equal(f.unconfirmed(""), []string{"bob@example.com"}) {
		t.Errorf("%+v, unconfirmed %v", e, f.unconfirmed(""))
	}
}

// TestAnEmailToConfirmIsDueUntilItIsUsed, and staff see what became of it.
func TestAnEmailToConfirmIsDueUntilItIsUsed(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@example.com")
	signUps, _, err := f.ListUnconfirmed(t.Context(), "", nil, 1)
	errtest.None(t, err)
	u := signUps[0]
	key := words.Confirm(words.SignUp{ID: u.ID, Token: u.Token, Emails: u.Mails}, "https://fledge.example").Key
	due := func() bool {
		t.Helper()
		is, err := f.EmailDue(t.Context(), key)
		errtest.None(t, err)
		return is
	}
	if !due() {
		t.Error("not due while it is awaited")
	}
	tx, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	errtest.None(t, errors.Join(store.EmailEnded(t.Context(), tx, key, mail.Outcome{State: mail.Bounced, Reply: "550 5.1.1"}), tx.Commit(t.Context())))
	if signUps, _, err = f.ListUnconfirmed(t.Context(), "", nil, 1); err != nil || signUps[0].Mail != "bounced" || signUps[0].MailReply != "550 5.1.1" {
		t.Errorf("%+v, %v", signUps, err)
	}
	if _, err := f.Confirm(t.Context(), u.Token); err != nil || due() {
		t.Errorf("due after the confirmation, %v", err)
	}
}

// TestStaffAddWithoutAConfirmation: nothing of the sign-up is left, which would be listed twice.
func TestStaffAddWithoutAConfirmation(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("added@example.com")
	f.signedUp("imported@example.com")
	if _, _, err := f.Add(f.staff(), email(t, "added@example.com")); err != nil {
		t.Fatal(err)
	}
	f.imported("imported@example.com")
	if left := f.unconfirmed(""); len(left) != 0 || f.count("waitlist_users") != 2 {
		t.Errorf("unconfirmed %v, %d entries", left, f.count("waitlist_users"))
	}
}

func TestErasureForgetsUnconfirmedSignUps(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@example.com")
	f.signedUp("bob@example.com")
	tx, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	_, err = f.Erase(t.Context(), tx, erasure.Account{ID: uuid.New(), Emails: []string{"ada@example.com"}})
	if err := errors.Join(err, tx.Commit(t.Context())); err != nil || !slices.Equal(f.unconfirmed(""), []string{"bob@example.com"}) {
		t.Errorf("left: %v, %v", f.unconfirmed(""), err)
	}
}

// TestUnconfirmedSignUpsAreFoundAsPeopleWriteThem, by a part of a domain beyond ASCII, too.
func TestUnconfirmedSignUpsAreFoundAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("ada@xn--bcher-kva.example")
	f.signedUp("bob@xn--mnchen-3ya.example")
	for search, want := range map[string][]string{
		"büch": {"ada@xn--bcher-kva.example"}, "@BÜCHER.ex": {"ada@xn--bcher-kva.example"}, "her.ex": {"ada@xn--bcher-kva.example"}, "xn--m": {"bob@xn--mnchen-3ya.example"},
		"münchen.example": {"bob@xn--mnchen-3ya.example"}, "bob": {"bob@xn--mnchen-3ya.example"}, "büb": nil, "%": nil,
	} {
		if got := f.unconfirmed(search); !slices.Equal(got, want) {
			t.Errorf("%q found %v, want %v", search, got, want)
		}
	}
}

// TestAnErasureThatComesLateKeepsWhoHasJoinedSince with the address.
func TestAnErasureThatComesLateKeepsWhoHasJoinedSince(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.imported("ada@example.com")
	var joined time.Time
	errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT created_at FROM waitlist_users").Scan(&joined))
	for _, tc := range []struct {
		deleted time.Time
		left    int
	}{{joined.Add(-time.Second), 1}, {joined, 0}} {
		account := erasure.Account{ID: uuid.New(), Emails: []string{"ada@example.com"}, Deleted: tc.deleted}
		errtest.None(t, pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { _, err := f.Erase(t.Context(), tx, account); return err }))
		if n := f.count("waitlist_users"); n != tc.left {
			t.Errorf("%d entries are left, want %d", n, tc.left)
		}
	}
}

// TestUnconfirmedSignUpsHavePages that leave none out.
func TestUnconfirmedSignUpsHavePages(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	for _, address := range []string{"a@example.com", "b@example.com", "c@example.com"} {
		f.signedUp(address)
		f.clock.Advance(time.Second)
	}
	first, next, err := f.ListUnconfirmed(t.Context(), "", nil, 2)
	if err != nil || next == nil || len(first) != 2 || first[0].Email != "c@example.com" {
		t.Fatalf("%+v, %v, %v", first, next, err)
	}
	rest, end, err := f.ListUnconfirmed(t.Context(), "", next, 2)
	if err != nil || end != nil || len(rest) != 1 || rest[0].Email != "a@example.com" {
		t.Errorf("%+v, %v, %v", rest, end, err)
	}
	if n, err := f.CountUnconfirmed(t.Context()); err != nil || n != 3 || f.metric("waitlist_unconfirmed").GetGauge().GetValue() != 3 {
		t.Errorf("counted %d, %v", n, err)
	}
	f.clock.Advance(store.ConfirmWithin - 2*time.Second)
	if n, err := f.CountUnconfirmed(t.Context()); err != nil || n != 1 {
		t.Errorf("counted %d once two links have ended, %v", n, err)
	}
}
