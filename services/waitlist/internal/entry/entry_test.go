package entry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
)

func TestTransitions(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 11, 21, 8, 0, 0, 123_456_789, time.UTC)
	later := created.Add(time.Hour)

	approve := func(e *entry.Entry) (bool, error) { return e.Approve(later) }
	remove := func(e *entry.Entry) (bool, error) { return e.Remove(later), nil }
	readmit := func(e *entry.Entry) (bool, error) { return e.Readmit(later), nil }

	for name, tc := range map[string]struct {
		from    entry.Status
		do      func(*entry.Entry) (bool, error)
		to      entry.Status
		changed bool
		err     error
	}{
		"approve pending":  {entry.Pending, approve, entry.Approved, true, nil},
		"approve approved": {entry.Approved, approve, entry.Approved, false, nil},
		"approve rejected": {entry.Rejected, approve, entry.Rejected, false, entry.ErrRejected},
		"remove pending":   {entry.Pending, remove, entry.Rejected, true, nil},
		"remove approved":  {entry.Approved, remove, entry.Rejected, true, nil},
		"remove rejected":  {entry.Rejected, remove, entry.Rejected, false, nil},
		"readmit pending":  {entry.Pending, readmit, entry.Pending, false, nil},
		"readmit approved": {entry.Approved, readmit, entry.Approved, false, nil},
		"readmit rejected": {entry.Rejected, readmit, entry.Pending, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := entry.New(mustEmail(t, "ada@example.com"), entry.HeroSection, created)
			e.Status = tc.from
			before := e
			changed, err := tc.do(&e)
			if e.Status != tc.to || changed != tc.changed || !errors.Is(err, tc.err) {
				t.Fatalf("got %s, changed %t, %v; want %s, %t, %v", e.Status, changed, err, tc.to, tc.changed, tc.err)
			}
			if !changed && e != before {
				t.Fatalf("nothing changed, but the entry is %+v and was %+v", e, before)
			}
			if changed && (e.Version != before.Version+1 || !e.UpdatedAt.Equal(later.Truncate(time.Microsecond))) {
				t.Fatalf("changed entry has version %d and was updated at %s", e.Version, e.UpdatedAt)
			}
		})
	}
}

func TestOneAccountClaimsAnApprovedEntry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	relay, other := uuid.New(), uuid.New()
	e := entry.New(mustEmail(t, "ada@example.com"), entry.HeroSection, now)
	claims := func(account uuid.UUID, address string, changed bool, want error) {
		t.Helper()
		if got, err := e.Claim(account, address); got != changed || !errors.Is(err, want) {
			t.Errorf("%s claims it: changed %t, %v; want %t, %v", address, got, err, changed, want)
		}
	}
	claims(relay, "r@relay.example.com", false, entry.ErrNotApproved)
	if _, err := e.Approve(now); err != nil {
		t.Fatal(err)
	}
	claims(other, "ada@example.com", false, nil) // who has it anyhow
	claims(relay, "r@relay.example.com", true, nil)
	claims(relay, "r@new.example.com", false, nil)
	claims(other, "o@relay.example.com", false, entry.ErrClaimed)
	claims(other, "ada@example.com", false, nil)
	if e.ClaimedBy != relay || e.ClaimedEmail != "r@relay.example.com" || e.Version != 2 {
		t.Errorf("claimed: %+v", e)
	}
	e.Remove(now)
	claims(relay, "r@relay.example.com", false, entry.ErrNotApproved)
	if e.ClaimedBy != relay {
		t.Error("the removal has ended the claim")
	}
	e.Readmit(now)
	if e.ClaimedBy != uuid.Nil || e.ClaimedEmail != "" {
		t.Errorf("readmitted: %+v", e)
	}
}

func TestNewEntryIsPendingAndFitsTheDatabase(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("elsewhere", 3600)
	e := entry.New(mustEmail(t, "ada@example.com"), entry.CTASection, time.Date(2026, 11, 21, 8, 0, 0, 123_456_789, zone))
	if e.Status != entry.Pending || e.Version != 1 || e.ID.Version() != 7 {
		t.Fatalf("new entry is %+v", e)
	}
	if want := time.Date(2026, 11, 21, 7, 0, 0, 123_456_000, time.UTC); e.CreatedAt != want || e.UpdatedAt != want {
		t.Fatalf("new entry has times %s and %s, want %s", e.CreatedAt, e.UpdatedAt, want)
	}
}

func mustEmail(t testing.TB, s string) entry.Email {
	t.Helper()
	email, err := entry.ParseEmail(s)
	errtest.None(t, err)
	return email
}
