package store_test

import (
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/wave"
)

// TestAWaveGivesAChannel to those whom it approves, for as long as that approval stands.
func TestAWaveGivesAChannel(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	people := f.crowd(4)
	has := func(when string, channels ...entry.Channel) {
		t.Helper()
		for i, want := range channels {
			found, err := f.Status(t.Context(), uuid.New(), people[i].Email)
			if err != nil || found.Channel != want {
				t.Errorf("%s, person %d: %+v, %v, want %q", when, i, found, err, want)
			}
		}
	}
	testers := f.start(wave.Wave{Who: wave.Who{People: 2}, Channel: entry.Beta})
	has("before the wave", entry.NoChannel, entry.NoChannel, entry.NoChannel, entry.NoChannel)
	f.work()
	if w := f.wave(testers.ID); w.Channel != entry.Beta || w.Approved != 2 {
		t.Errorf("%+v", w)
	}
	f.start(wave.Wave{Who: wave.Who{People: 1}})
	f.work()
	has("after both waves", entry.Beta, entry.Beta, entry.NoChannel, entry.NoChannel)

	// Of two entries of one account, the one that gives most.
	account := uuid.New()
	f.exec("UPDATE waitlist_users SET claimed_by = '" + account.String() + "', claimed_email = 'x@example.com' WHERE id IN ('" + people[0].ID.String() + "', '" + people[2].ID.String() + "')")
	for _, of := range []entry.Email{people[0].Email, people[2].Email, email(t, "x@example.com")} {
		if found, err := f.Status(t.Context(), account, of); err != nil || found.Channel != entry.Beta {
			t.Errorf("by %s: %+v, %v", of, found, err)
		}
	}
	f.exec("UPDATE waitlist_users SET claimed_by = NULL, claimed_email = ''")

	// An approval by hand, after staff have taken one back, gives nothing.
	if _, _, err := f.Remove(f.staff(), people[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Add(f.staff(), people[0].Email); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Approve(f.staff(), people[0].ID); err != nil {
		t.Fatal(err)
	}
	has("approved again", entry.NoChannel, entry.Beta)
	if err := f.do(testers.ID, wave.Undo); err != nil {
		t.Fatal(err)
	}
	has("undone", entry.NoChannel, entry.NoChannel)
}
