package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
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
	errtest.None(t, f.do(testers.ID, wave.Undo))
	has("undone", entry.NoChannel, entry.NoChannel)
}

// TestAChannelEndsWithItsApproval, whatever ends that.
func TestAChannelEndsWithItsApproval(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	people := f.crowd(2)
	f.start(wave.Wave{Channel: entry.Beta})
	f.work()
	is := func(when string, person int, status entry.Status, channel entry.Channel) {
		t.Helper()
		if e := f.find(people[person].Email.String()); e.Status != status || e.Channel != channel {
			t.Errorf("%s: %s, %q, want %s, %q", when, e.Status, e.Channel, status, channel)
		}
	}
	f.reported(people[1].Email.String(), mail.Complained) // a person who wants no emails stays approved
	is("approved", 0, entry.Approved, entry.Beta)
	is("approved, without emails", 1, entry.Approved, entry.Beta)
	f.set(people[0], "mail = 'sent', invitation_ends_at = now()")
	f.expire()
	is("expired", 0, entry.Pending, entry.NoChannel)
	if _, _, err := f.Remove(f.staff(), people[1].ID); err != nil {
		t.Fatal(err)
	}
	is("removed", 1, entry.Rejected, entry.NoChannel)
	if _, _, err := f.Add(f.staff(), people[1].Email); err != nil {
		t.Fatal(err)
	}
	is("added again", 1, entry.Pending, entry.NoChannel)
}

// TestAChannelIsTakenBack from all whom a wave has approved, in whichever state it is, and it gives none to the rest.
func TestAChannelIsTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	people := f.crowd(4)
	f.start(wave.Wave{Who: wave.Who{People: 1}, Channel: entry.Alpha})
	f.work()
	testers := f.start(wave.Wave{PerMinute: 2, Channel: entry.Beta})
	f.work()
	channels := func(want ...entry.Channel) {
		t.Helper()
		for i, channel := range want {
			if e := f.find(people[i].Email.String()); e.Channel != channel || e.Status != entry.Approved {
				t.Errorf("person %d: %s, %q, want %q", i, e.Status, e.Channel, channel)
			}
		}
	}
	channels(entry.Alpha, entry.Beta)
	f.exec(`INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, version, wave, channel)
		SELECT gen_random_uuid(), 'many' || n || '@example.com', 'approved', 'import', now(), now(), 2, '` + testers.ID.String() + `', 'beta' FROM generate_series(1, 10000) AS n`)
	before := f.find(people[1].Email.String())
	for range 2 { // once more changes nothing
		errtest.None(t, f.do(testers.ID, wave.DropChannel))
	}
	channels(entry.Alpha, entry.NoChannel)
	if after := f.find(people[1].Email.String()); after.Version != before.Version || !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("the approval is another one: %+v", after)
	}
	told := audittest.Actions(t, f.pool)
	last := told[len(told)-1]
	if last.GetAction() != string(store.WaveChannelDropped) || told[len(told)-2].GetAction() == last.GetAction() ||
		!strings.Contains(last.GetBefore(), `"channel":"beta"`) || !strings.Contains(last.GetAfter(), `"people":10001`) {
		t.Errorf("recorded %v", told)
	}
	if w := f.wave(testers.ID); w.Channel != entry.NoChannel || w.State != wave.Running {
		t.Errorf("%+v", w)
	}
	f.clock.Advance(time.Minute)
	f.work()
	channels(entry.Alpha, entry.NoChannel, entry.NoChannel)
	errtest.None(t, f.do(testers.ID, wave.Cancel))
	if err := f.do(testers.ID, wave.DropChannel); err != nil {
		t.Errorf("of one that has ended: %v", err)
	}
}
