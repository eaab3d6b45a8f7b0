package store_test

import (
	"fmt"
	"slices"
	"testing"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// recorded lists what the audit records tell, oldest first.
func (f *fixture) recorded() (told []string) {
	f.t.Helper()
	for _, a := range audittest.Actions(f.t, f.pool) {
		if a.GetActorId() != audittest.Staff.UserID || a.GetClientIp() == "" || a.GetRequestId() == "" || a.GetUserAgent() == "" {
			f.t.Errorf("%s does not say by whom and from where: %v", a.GetAction(), a)
		}
		told = append(told, fmt.Sprintf("%s %s %s %s", a.GetAction(), a.GetSubjectLabel(), a.GetBefore(), a.GetAfter()))
	}
	return told
}

func TestEachChangeByStaffIsRecordedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com") // by herself
	for range 2 {
		for _, change := range []func() error{
			func() error { _, _, err := f.Approve(f.staff(), e.ID); return err },
			func() error { _, _, err := f.Approve(f.staff(), e.ID); return err },
			func() error { _, _, err := f.Remove(f.staff(), e.ID); return err },
			func() error { _, _, err := f.Remove(f.staff(), e.ID); return err },
			func() error { _, _, err := f.Add(f.staff(), e.Email); return err },
			func() error { _, _, err := f.Add(f.staff(), e.Email); return err },
		} {
			errtest.None(t, change())
		}
	}
	if _, _, err := f.Add(f.staff(), email(t, "bob@example.com")); err != nil {
		t.Fatal(err)
	}
	round := []string{
		`waitlist.approved ada@example.com {"status":"pending"} {"status":"approved"}`,
		`waitlist.removed ada@example.com {"status":"approved"} {"status":"rejected"}`,
		`waitlist.added ada@example.com {"status":"rejected"} {"status":"pending"}`,
	}
	want := append(append(slices.Clone(round), round...), `waitlist.added bob@example.com  {"source":"admin","status":"pending"}`)
	if got := f.recorded(); !slices.Equal(got, want) {
		t.Errorf("recorded\n%v\nwant\n%v", got, want)
	}
}

// TestNobodyChangesTheListUnseen: without a person there is no change at all.
func TestNobodyChangesTheListUnseen(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	_, _, approve := f.Approve(t.Context(), e.ID)
	_, _, remove := f.Remove(t.Context(), e.ID)
	_, _, add := f.Add(t.Context(), email(t, "bob@example.com"))
	_, imported := f.Import(t.Context(), store.ImportPart{ID: "i", Entries: []entry.Entry{entry.New(email(t, "cyd@example.com"), entry.Import, epoch)}})
	if approve == nil || remove == nil || add == nil || imported == nil {
		t.Errorf("approve %v, remove %v, add %v, import %v", approve, remove, add, imported)
	}
	if now := f.find("ada@example.com"); now != e || f.count("waitlist_users") != 1 || f.count("outbox") != 0 || f.count("mail.river_job") != 0 {
		t.Errorf("%+v, %d entries, %d events, %d emails", now, f.count("waitlist_users"), f.count("outbox"), f.count("mail.river_job"))
	}
}

func TestAResentEmailIsRecordedWithItsReason(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.invited("ada@example.com", 8, "mail_reply = ''")
	if _, err := f.Resend(f.staff(), e.ID, "she has not got it"); err != nil {
		t.Fatal(err)
	}
	told := audittest.Actions(t, f.pool)
	if last := told[len(told)-1]; last.GetAction() != string(store.Resent) || last.GetReason() != "she has not got it" {
		t.Errorf("recorded %v", last)
	}
}
