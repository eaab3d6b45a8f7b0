package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/invitation"
	"fledge.dev/services/waitlist/internal/store"
)

// hash is that of an entry's invitation.
func (f *fixture) hash(e entry.Entry) (hash []byte) {
	f.t.Helper()
	errtest.None(f.t, f.pool.QueryRow(f.t.Context(), "SELECT invitation_hash FROM waitlist_users WHERE id = $1", e.ID).Scan(&hash))
	return hash
}

func TestAnInvitationExpires(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	f.clock.Advance(time.Hour)
	if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	hash, relay := f.hash(e), store.Account{ID: uuid.New(), Email: "r@relay.example.com"}
	f.clock.Advance(invitation.Lifetime - time.Second)
	if invited, err := f.Invitation(t.Context(), hash, relay); err != nil || invited.Email != e.Email {
		t.Errorf("a second before its end: %+v, %v", invited, err)
	}
	f.clock.Advance(time.Second)
	if _, err := f.Invitation(t.Context(), hash, relay); !errors.Is(err, fault.NotFound) {
		t.Errorf("at its end it is read: %v", err)
	}
	if _, _, err := f.Claim(t.Context(), hash, relay); !errors.Is(err, fault.NotFound) {
		t.Errorf("at its end it is claimed: %v", err)
	}
}

// TestAnAccountHasTheBestOfItsEntries, that of its address among them.
func TestAnAccountHasTheBestOfItsEntries(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	account := store.Account{ID: uuid.New(), Email: "r@relay.example.com"}
	is := func(want entry.Status) {
		t.Helper()
		if got, err := f.Status(t.Context(), account.ID, email(t, account.Email)); got.Status != want || err != nil {
			t.Errorf("the account is %q, %v, want %q", got, err, want)
		}
	}
	is("")
	own, invited := f.joined(account.Email), f.joined("ada@example.com")
	is(entry.Pending)
	if _, _, err := f.Approve(f.staff(), invited.ID); err != nil {
		t.Fatal(err)
	}
	if _, changed, err := f.Claim(t.Context(), f.hash(invited), account); err != nil || !changed {
		t.Fatal(changed, err)
	}
	is(entry.Approved)
	if _, _, err := f.Remove(f.staff(), invited.ID); err != nil {
		t.Fatal(err)
	}
	is(entry.Pending)
	if _, _, err := f.Remove(f.staff(), own.ID); err != nil {
		t.Fatal(err)
	}
	is(entry.Rejected)
}

// TestWithoutItsEmailThereIsNoClaim: both are in one transaction.
func TestWithoutItsEmailThereIsNoClaim(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	f.exec("ALTER TABLE mail.river_job RENAME TO gone")
	if _, changed, err := f.Claim(t.Context(), f.hash(e), store.Account{ID: uuid.New(), Email: "r@relay.example.com"}); err == nil || changed {
		t.Errorf("claimed: %t, %v", changed, err)
	}
	if now := f.find("ada@example.com"); now.ClaimedBy != uuid.Nil {
		t.Errorf("%+v", now)
	}
}

// TestStatsFollowInvitations: whoever opens the link or comes back counts once, as long as they are approved, and whose
// invitation has ended unused counts as approved.
func TestStatsFollowInvitations(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	ada, bob, cyd := f.joined("ada@example.com"), f.joined("bob@example.com"), f.joined("cyd@example.com")
	for _, e := range []entry.Entry{ada, bob} {
		if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	is := func(approved, opened, signedIn int64) {
		t.Helper()
		stats, err := f.Stats(t.Context())
		if got := stats.Invitations; err != nil || got.Approved != approved || got.Opened != opened || got.SignedIn != signedIn {
			t.Errorf("%+v, %v; want %d, %d, %d", got, err, approved, opened, signedIn)
		}
	}
	is(2, 0, 0)
	for _, hash := range [][]byte{f.hash(ada), f.hash(ada), f.hash(bob), make([]byte, 32)} {
		if err := f.Open(t.Context(), hash); err != nil {
			t.Error(err)
		}
	}
	for _, e := range []entry.Entry{ada, ada, cyd} {
		if _, err := f.Status(t.Context(), uuid.New(), e.Email); err != nil {
			t.Error(err)
		}
	}
	is(2, 2, 1)
	if _, _, err := f.Remove(f.staff(), ada.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Add(f.staff(), ada.Email); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Approve(f.staff(), ada.ID); err != nil {
		t.Fatal(err)
	}
	is(2, 1, 0)
	f.exec(`UPDATE waitlist_users SET invitation_hash = sha256(email::bytea), invited_at = $1, invitation_expired_at = now() WHERE email = 'cyd@example.com'`, f.clock.Now())
	is(3, 1, 0)
}
