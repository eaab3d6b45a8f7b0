package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/waitlist/internal/entry"
)

func TestChangesAreIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	f.clock.Advance(time.Hour)
	for n := range 2 {
		got, changed, err := f.Approve(f.staff(), e.ID)
		if err != nil || got.Status != entry.Approved || got.Version != 2 || !got.UpdatedAt.Equal(epoch.Add(time.Hour)) || changed != (n == 0) {
			t.Fatalf("Approve = %+v, %t, %v", got, changed, err)
		}
	}
	for n := range 2 {
		got, changed, err := f.Remove(f.staff(), e.ID)
		if err != nil || got.Status != entry.Rejected || got.Version != 3 || changed != (n == 0) {
			t.Fatalf("Remove = %+v, %t, %v", got, changed, err)
		}
	}
	if got, want := f.emailed(e), []int64{2}; !slices.Equal(got, want) {
		t.Errorf("emails %v, want %v", got, want)
	}
	if got := f.find("ada@example.com"); got.Status != entry.Rejected || got.CreatedAt != e.CreatedAt || got.Source != e.Source {
		t.Errorf("stored %+v", got)
	}
}

func TestApprovingWhatWasRemovedIsAConflict(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	if _, _, err := f.Remove(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Approve(f.staff(), e.ID); !errors.Is(err, fault.Conflict) {
		t.Errorf("Approve returned %v", err)
	}
	if got, want := f.emailed(e), []int64(nil); !slices.Equal(got, want) {
		t.Errorf("emails %v, want %v", got, want)
	}
}

func TestChangingWhatDoesNotExistIsNotFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	for _, id := range []uuid.UUID{uuid.Nil, uuid.New()} {
		if _, _, err := f.Approve(f.staff(), id); !errors.Is(err, fault.NotFound) {
			t.Errorf("Approve(%s) returned %v", id, err)
		}
		if _, _, err := f.Remove(f.staff(), id); !errors.Is(err, fault.NotFound) {
			t.Errorf("Remove(%s) returned %v", id, err)
		}
	}
	if n := f.count("outbox"); n != 0 {
		t.Errorf("%d events", n)
	}
}

func TestAddByAnAdmin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	added, changed, err := f.Add(f.staff(), email(t, "ada@example.com"))
	if err != nil || !changed || added.Status != entry.Pending || added.Source != entry.Admin {
		t.Fatalf("Add = %+v, %v", added, err)
	}
	if again, changed, err := f.Add(f.staff(), added.Email); err != nil || changed || again != added {
		t.Errorf("adding a pending entry gave %+v, %v", again, err)
	}
	approved, _, err := f.Approve(f.staff(), added.ID)
	errtest.None(t, err)
	if again, changed, err := f.Add(f.staff(), added.Email); err != nil || changed || again != approved {
		t.Errorf("adding an approved entry gave %+v, %v", again, err)
	}
}

func TestAddPutsARejectedAddressBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	if _, _, err := f.Remove(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Hour)
	back, changed, err := f.Add(f.staff(), e.Email)
	if err != nil || !changed || back.ID != e.ID || back.Status != entry.Pending || back.Version != 3 || back.Source != entry.HeroSection {
		t.Fatalf("Add = %+v, %v", back, err)
	}
	if stored := f.find("ada@example.com"); stored != back {
		t.Errorf("stored %+v, answered %+v", stored, back)
	}
	if got, want := f.emailed(e), []int64(nil); !slices.Equal(got, want) {
		t.Errorf("emails %v, want %v", got, want)
	}
}

func TestConcurrentApprovalsAreOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, want := f.emailed(e), []int64{2}; !slices.Equal(got, want) {
		t.Errorf("emails %v, want %v", got, want)
	}
}

func TestAnEmailIsDueWhileItsApprovalHolds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	due := func(key string) bool {
		t.Helper()
		due, err := f.EmailDue(t.Context(), key)
		errtest.None(t, err)
		return due
	}
	of := func(version int) bool { t.Helper(); return due(fmt.Sprintf("waitlist-approved/%s/%d", e.ID, version)) }
	change := func(apply func(context.Context, uuid.UUID) (entry.Entry, bool, error)) {
		t.Helper()
		if _, _, err := apply(f.staff(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	if of(1) {
		t.Error("a pending entry counts as approved")
	}
	change(f.Approve)
	if !of(2) || of(1) {
		t.Error("the email of the approval is not due, or another is")
	}
	change(f.Remove)
	if of(2) || of(3) {
		t.Error("a removed entry counts as approved")
	}
	if _, _, err := f.Add(f.staff(), e.Email); err != nil {
		t.Fatal(err)
	}
	change(f.Approve)
	if of(2) || !of(5) {
		t.Error("only the email of the later approval should be due")
	}
	if !due("another/email") {
		t.Error("an email about something else is not due")
	}
	var token uuid.UUID
	errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT leave_token FROM waitlist_users").Scan(&token))
	if _, _, err := f.Leave(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if of(5) {
		t.Error("the email of somebody who wants none any more is due")
	}
	if now := f.find("ada@example.com"); now.Status != entry.Approved || now.Mail != "" {
		t.Errorf("whoever wants no emails is %s, and an email is %q", now.Status, now.Mail)
	}
}

// TestWithoutItsEmailThereIsNoApproval: both are in one transaction.
func TestWithoutItsEmailThereIsNoApproval(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	f.exec("ALTER TABLE mail.river_job RENAME TO gone")
	if _, changed, err := f.Approve(f.staff(), e.ID); err == nil || changed {
		t.Errorf("approved: %t, %v", changed, err)
	}
	if now := f.find("ada@example.com"); now != e || f.count("outbox") != 0 {
		t.Errorf("%+v, %d audit records", now, f.count("outbox"))
	}
}

func TestStatusIsByExactAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("ada@example.com")
	if found, err := f.Status(t.Context(), uuid.New(), email(t, "ADA@example.com")); found.Status != entry.Pending || err != nil {
		t.Errorf("Status = %+v, %v", found, err)
	}
	if found, err := f.Status(t.Context(), uuid.New(), email(t, "ada+tag@example.com")); found.Status != "" || err != nil {
		t.Errorf("Status of an unknown address = %+v, %v", found, err)
	}
}
