package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

const importID = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"

func (f *fixture) imported(addresses ...string) []bool {
	f.t.Helper()
	part := store.ImportPart{ID: importID, First: 2, Last: 1 + len(addresses), Invalid: 1}
	for _, address := range addresses {
		part.Emails = append(part.Emails, email(f.t, address))
	}
	isNew, err := f.Import(f.staff(), part)
	if err != nil {
		f.t.Fatal(err)
	}
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
	// Which of two equal lines is the new one is for the database to say.
	if !isNew[0] || isNew[1] || isNew[2] == isNew[3] || isNew[4] {
		t.Errorf("new: %v", isNew)
	}
	if zoe := f.find("zoe@example.com"); zoe.Source != entry.Import || zoe.Status != entry.Pending {
		t.Errorf("%+v", zoe)
	}
	if f.find("rejected@example.com").Status != entry.Rejected || f.find("approved@example.com").Status != entry.Approved {
		t.Error("the import changed somebody's state")
	}
	told := f.recorded()
	if last := told[len(told)-1]; last != `waitlist.imported   {"added":2,"first_line":2,"invalid":1,"known":3,"last_line":6}` {
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
		all.Go(func() {
			isNew, err := f.Import(f.staff(), store.ImportPart{ID: importID, Emails: list, First: 1, Last: len(list)})
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
