package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

const importID = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"

func (f *fixture) imported(addresses ...string) []bool {
	f.t.Helper()
	part := store.ImportPart{ID: importID, First: 2, Last: 1 + len(addresses), Invalid: 1}
	for i, address := range addresses {
		part.Entries = append(part.Entries, entry.Imported(email(f.t, address), entry.Pending, entry.Import, f.clock.Now(), 2+i))
	}
	isNew, err := f.Import(f.staff(), part)
	errtest.None(f.t, err)
	return isNew
}

func TestImportAddsWhatIsNewAndLeavesTheRest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	rejected, approved := f.joined("rejected@example.com"), f.joined("approved@example.com")
	if _, _, err := f.Remove(f.staff(), rejected.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Approve(f.staff(), approved.ID); err != nil {
		t.Fatal(err)
	}
	isNew := f.imported("zoe@example.com", "rejected@example.com", "ada@example.com", "ADA@example.com", "approved@example.com")
	if !slices.Equal(isNew, []bool{true, false, true, false, false}) {
		t.Errorf("new: %v", isNew)
	}
	if zoe := f.find("zoe@example.com"); zoe.Source != entry.Import || zoe.Status != entry.Pending {
		t.Errorf("%+v", zoe)
	}
	if f.find("rejected@example.com").Status != entry.Rejected || f.find("approved@example.com").Status != entry.Approved {
		t.Error("the import changed somebody's state")
	}
	told := f.recorded()
	if last := told[len(told)-1]; last != `waitlist.imported   {"added":2,"approved":0,"first_line":2,"invalid":1,"known":3,"last_line":6,"rejected":0}` {
		t.Errorf("recorded %s", last)
	}
	again := f.imported("zoe@example.com", "ada@example.com")
	if slices.Contains(again, true) || len(audittest.Actions(t, f.pool)) != len(told) || f.count("waitlist_users") != 4 {
		t.Errorf("again: %v", again)
	}
}

// TestImportsAndSignUpsDoNotBlockEachOther: all take the rows in the same order.
func TestImportsAndSignUpsDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	addresses := make([]entry.Email, 500)
	for i := range addresses {
		addresses[i] = email(t, fmt.Sprintf("person%d@example.com", i))
	}
	backwards := slices.Clone(addresses)
	slices.Reverse(backwards)
	var mu sync.Mutex
	added := 0
	var all sync.WaitGroup
	for _, list := range [][]entry.Email{addresses, backwards, addresses} {
		part := store.ImportPart{ID: importID, First: 1, Last: len(list)}
		for _, address := range list {
			part.Entries = append(part.Entries, entry.New(address, entry.Import, epoch))
		}
		all.Go(func() {
			isNew, err := f.Import(f.staff(), part)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, is := range isNew {
				if is {
					added++
				}
			}
		})
	}
	for _, address := range backwards {
		all.Go(func() {
			isNew, err := f.Join(context.Background(), address, entry.HeroSection)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if isNew {
				added++
			}
		})
	}
	all.Wait()
	if added != len(addresses) || f.count("waitlist_users") != len(addresses) {
		t.Errorf("%d were new, %d are there, of %d", added, f.count("waitlist_users"), len(addresses))
	}
}

// TestAnExportedListIsTheSameInAnotherInstallation: addresses, states, sources, times and their order,
// also of those who joined in the same moment.
func TestAnExportedListIsTheSameInAnotherInstallation(t *testing.T) {
	t.Parallel()
	from, to := newFixture(t, patient), newFixture(t, patient)
	from.imported("zoe@example.com", "ada@example.com", "mia@example.com") // at once
	from.clock.Advance(time.Microsecond)
	if _, _, err := from.Approve(from.staff(), from.joined("approved@example.com").ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := from.Remove(from.staff(), from.joined("removed@example.com").ID); err != nil {
		t.Fatal(err)
	}
	list := func(f *fixture) (lines []string, entries []entry.Entry) {
		page, err := f.List(t.Context(), store.Filter{}, nil, store.MaxChunk)
		errtest.None(t, err)
		for _, e := range page.Entries {
			lines = append(lines, fmt.Sprint(e.Email, e.Status, e.Source, e.CreatedAt))
		}
		return lines, page.Entries
	}
	want, entries := list(from)
	to.clock.Advance(time.Hour)
	part := store.ImportPart{ID: importID, First: 2, Last: 1 + len(entries)}
	for i, e := range entries {
		part.Entries = append(part.Entries, entry.Imported(e.Email, e.Status, e.Source, e.CreatedAt, -2-i))
	}
	preview, err := to.PreviewImport(t.Context(), part)
	if err != nil || slices.Contains(preview, false) || to.count("waitlist_users") != 0 {
		t.Errorf("preview %v, %v", preview, err)
	}
	if _, err := to.Import(to.staff(), part); err != nil {
		t.Fatal(err)
	}
	told := to.recorded()
	if last := told[len(told)-1]; last != `waitlist.imported   {"added":5,"approved":1,"first_line":2,"invalid":0,"known":0,"last_line":6,"rejected":1}` {
		t.Errorf("recorded %s", last)
	}
	if got, _ := list(to); !slices.Equal(got, want) {
		t.Errorf("the list is\n%q, want\n%q", got, want)
	}
	if n := to.count("mail.river_job"); n != 0 {
		t.Errorf("%d emails are queued", n)
	}
	if preview, err = to.PreviewImport(t.Context(), part); err != nil || slices.Contains(preview, true) {
		t.Errorf("a second preview %v, %v", preview, err)
	}
}
