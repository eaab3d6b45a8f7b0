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

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

// crowd signs n people up, a minute after each other.
func (f *fixture) crowd(n int) []entry.Entry {
	f.t.Helper()
	people := make([]entry.Entry, n)
	for i := range people {
		people[i] = f.joined(fmt.Sprintf("person%03d@example.com", i))
		f.clock.Advance(time.Minute)
	}
	return people
}

func (f *fixture) start(w wave.Wave) wave.Wave {
	f.t.Helper()
	w.ID = uuid.New()
	started, changed, err := f.StartWave(f.staff(), w)
	if err != nil || !changed {
		f.t.Fatalf("StartWave = %t, %v", changed, err)
	}
	return started
}

func (f *fixture) work() {
	f.t.Helper()
	errtest.None(f.t, f.Work(f.t.Context()))
}

// wave is how far the wave is.
func (f *fixture) wave(id uuid.UUID) wave.Wave {
	f.t.Helper()
	waves, _, err := f.Waves(f.t.Context())
	errtest.None(f.t, err)
	i := slices.IndexFunc(waves, func(w wave.Wave) bool { return w.ID == id })
	if i < 0 {
		f.t.Fatalf("no wave %s", id)
	}
	return waves[i]
}

func (f *fixture) is(id uuid.UUID, state wave.State, approved int64) {
	f.t.Helper()
	if w := f.wave(id); w.State != state || w.Approved != approved {
		f.t.Errorf("the wave is %s with %d approved, want %s with %d", w.State, w.Approved, state, approved)
	}
}

func (f *fixture) do(id uuid.UUID, action wave.Action) error {
	return f.doAs(f.staff(), id, action)
}

func (f *fixture) doAs(admin context.Context, id uuid.UUID, action wave.Action) error {
	_, _, err := f.ChangeWave(admin, id, action)
	return err
}

// another is the context of a call by an admin who is not staff's.
func another() (ctx context.Context, id uuid.UUID) {
	id = uuid.New()
	return authn.WithPrincipal(context.Background(), authn.Principal{UserID: id.String(), Email: "another@example.com"}), id
}

const approvedEntries = "waitlist_users WHERE status = 'approved'"

func TestAWaveApprovesWhoMatches(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	people := f.crowd(4)
	if _, err := f.Join(t.Context(), email(t, "cta@example.com"), entry.CTASection); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Minute)
	removed := f.joined("removed@example.com")
	if _, _, err := f.Remove(f.staff(), removed.ID); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Minute)
	for _, tt := range []struct {
		name string
		who  wave.Who
		want int64
	}{
		{"all", wave.Who{}, 5},
		{"a search", wave.Who{Search: "PERSON"}, 4},
		{"a source", wave.Who{Source: entry.CTASection}, 1},
		{"who joined before", wave.Who{JoinedBefore: people[2].CreatedAt}, 2},
		{"the next three", wave.Who{People: 3}, 3},
		{"more than there are", wave.Who{Search: "person", People: 9}, 4},
		{"nobody", wave.Who{Search: "removed"}, 0},
	} {
		if w, err := f.PreviewWave(t.Context(), wave.Wave{Who: tt.who}); err != nil || w.Total != tt.want {
			t.Errorf("%s: %d people, %v; want %d", tt.name, w.Total, err, tt.want)
		}
	}
	if _, _, err := f.StartWave(f.staff(), wave.Wave{ID: uuid.New(), Who: wave.Who{Search: "removed"}}); !errors.Is(err, fault.Conflict) {
		t.Errorf("a wave of nobody: %v", err)
	}

	w := f.start(wave.Wave{Who: wave.Who{Search: "person", People: 3}})
	f.joined("person-later@example.com")
	f.work()
	f.is(w.ID, wave.Done, 3)
	for i, p := range people {
		now := f.find(p.Email.String())
		if (now.Status == entry.Approved) != (i < 3) {
			t.Errorf("person %d is %s", i, now.Status)
		}
		if got := len(f.emailed(p)); (got == 1) != (i < 3) {
			t.Errorf("person %d has %d emails", i, got)
		}
	}
	f.clock.Advance(time.Minute)
	rest := f.start(wave.Wave{})
	if _, changed, err := f.StartWave(f.staff(), wave.Wave{ID: rest.ID}); err != nil || changed {
		t.Errorf("the wave of the same id: %t, %v", changed, err)
	}
	f.work()
	f.is(rest.ID, wave.Done, 3)
	if n := f.count(approvedEntries); n != 6 {
		t.Errorf("%d are approved", n)
	}
	var leaves time.Time
	errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT scheduled_at FROM mail.river_job ORDER BY id DESC LIMIT 1").Scan(&leaves))
	if hold := leaves.Sub(f.clock.Now()); hold <= wave.UndoFor {
		t.Errorf("an email leaves after %s", hold)
	}
	for _, action := range audittest.Actions(t, f.pool) {
		if action.GetActorEmail() == "" {
			t.Errorf("nobody did %s", action.GetAction())
		}
	}
}

func TestAWaveKeepsToItsTimeAndRate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(4)
	w := f.start(wave.Wave{StartsAt: f.clock.Now().Add(time.Hour), PerMinute: 12})
	f.work()
	f.is(w.ID, wave.Scheduled, 0)
	f.clock.Advance(time.Hour)
	for n := range 4 {
		f.work()
		f.clock.Advance(4 * time.Second)
		f.work()
		f.is(w.ID, wave.Running, int64(n+1))
		f.clock.Advance(time.Second)
	}
	f.work()
	f.is(w.ID, wave.Done, 4)
}

func TestAWaveFarAheadIsListedHoweverManyHaveEnded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(1)
	ahead := f.start(wave.Wave{StartsAt: f.clock.Now().Add(time.Hour)})
	f.manyCancelled()
	f.is(ahead.ID, wave.Scheduled, 0)
}

// TestAWaveThatGaveAChannelIsListedHoweverManyHaveEndedSince, for staff take the channel back from its people there.
func TestAWaveThatGaveAChannelIsListedHoweverManyHaveEndedSince(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(1)
	gave := f.start(wave.Wave{Channel: entry.Beta})
	f.work()
	f.is(gave.ID, wave.Done, 1)
	f.joined("later@example.com")
	f.manyCancelled()
	f.is(gave.ID, wave.Done, 1)
}

// manyCancelled are more waves than are listed, half of them with a channel, which have approved nobody.
func (f *fixture) manyCancelled() {
	f.t.Helper()
	for n := range 2 * store.MaxWaves {
		f.clock.Advance(time.Second)
		w := wave.Wave{StartsAt: f.clock.Now().Add(time.Hour)}
		if n%2 == 0 {
			w.Channel = entry.Beta
		}
		errtest.None(f.t, f.do(f.start(w).ID, wave.Cancel))
	}
}

func TestAWaveRestsWhileItIsPaused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(3)
	w := f.start(wave.Wave{PerMinute: 1})
	f.work()
	for range 2 {
		errtest.None(t, f.do(w.ID, wave.Pause))
		f.clock.Advance(time.Hour)
		f.work()
		f.is(w.ID, wave.Paused, 1)
	}
	errtest.None(t, f.do(w.ID, wave.Resume))
	f.work()
	f.is(w.ID, wave.Running, 2) // what it would have done meanwhile is not made up for
	errtest.None(t, f.do(w.ID, wave.Cancel))
	f.clock.Advance(time.Hour)
	f.work()
	f.is(w.ID, wave.Cancelled, 2)
	if err := f.do(w.ID, wave.Resume); !errors.Is(err, fault.Conflict) {
		t.Errorf("resumed what is cancelled: %v", err)
	}
	if err := f.do(uuid.New(), wave.Pause); !errors.Is(err, fault.NotFound) {
		t.Errorf("paused nothing: %v", err)
	}
}

func TestApprovalsOfTheLastMinuteAreUndone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	people := f.crowd(3)
	if _, _, err := f.Approve(f.staff(), people[0].ID); err != nil { // not by the wave
		t.Fatal(err)
	}
	w := f.start(wave.Wave{PerMinute: 1})
	f.work()
	f.clock.Advance(time.Minute)
	f.work() // the first approval is a minute old
	for range 2 {
		errtest.None(t, f.do(w.ID, wave.Undo))
	}
	f.clock.Advance(time.Hour)
	f.work()
	f.is(w.ID, wave.Cancelled, 2)
	if undone := f.wave(w.ID).Undone; undone != 1 {
		t.Errorf("%d were undone", undone)
	}
	for i, want := range []entry.Status{entry.Approved, entry.Approved, entry.Pending} {
		if got := f.find(people[i].Email.String()); got.Status != want {
			t.Errorf("person %d is %s", i, got.Status)
		}
	}
	for i, want := range []bool{true, true, false} {
		if due, err := f.EmailDue(t.Context(), fmt.Sprintf("waitlist-approved/%s/2", people[i].ID)); err != nil || due != want {
			t.Errorf("the email of person %d is due: %t, %v", i, due, err)
		}
	}
	undone := 0
	for _, action := range audittest.Actions(t, f.pool) {
		if action.GetAction() == string(store.Undone) && action.GetSubject() == people[2].ID.String() {
			undone++
		}
	}
	if undone != 1 {
		t.Errorf("%d records of the undone approval", undone)
	}
	again := f.start(wave.Wave{})
	f.work()
	f.is(again.ID, wave.Done, 1)
	if got, want := f.emailed(people[2]), []int64{2, 4}; !slices.Equal(got, want) {
		t.Errorf("emails about the versions %v, want %v", got, want)
	}
	f.clock.Advance(time.Minute)
	if err := f.do(again.ID, wave.Undo); !errors.Is(err, fault.Conflict) {
		t.Errorf("undone too late: %v", err)
	}
}

// TestWhoCannotBeApprovedKeepsNobodyBack and is named.
func TestWhoCannotBeApprovedKeepsNobodyBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	people := f.crowd(3)
	if _, err := f.pool.Exec(t.Context(), `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE OF status ON waitlist_users FOR EACH ROW WHEN (OLD.email = 'person001@example.com') EXECUTE FUNCTION refuse()`); err != nil {
		t.Fatal(err)
	}
	w := f.start(wave.Wave{})
	if err := f.Work(t.Context()); err == nil {
		t.Error("nobody is told why")
	}
	f.is(w.ID, wave.Done, 2)
	_, failures, err := f.Waves(t.Context())
	if want := (store.Failure{ID: people[1].ID, Email: "person001@example.com"}); err != nil || len(failures) != 1 || failures[want.ID] != want {
		t.Errorf("failures %v, %v", failures, err)
	}
	if n := len(f.emailed(people[1])); n != 0 {
		t.Errorf("%d emails", n)
	}
}

func TestReplicasShareAWave(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	one, other := fixtureOn(t, url, patient), fixtureOn(t, url, patient)
	const n = 3*wave.MaxBatch + 7
	for i := range n {
		one.joined(fmt.Sprintf("person%03d@example.com", i))
	}
	one.clock.Advance(time.Minute)
	other.clock.Advance(time.Minute)
	w := one.start(wave.Wave{})
	var working sync.WaitGroup
	for _, f := range []*fixture{one, other} {
		working.Go(func() {
			for f.wave(w.ID).State == wave.Running {
				if err := f.Work(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	working.Wait()
	one.is(w.ID, wave.Done, n)
	if approved, emails := one.count(approvedEntries), one.count("mail.river_job"); approved != n || emails != n {
		t.Errorf("%d approved, %d emails", approved, emails)
	}
}

// TestAWaveThatEndedBeforeItsChangesWereKept has changed when it last approved somebody, or else started.
func TestAWaveThatEndedBeforeItsChangesWereKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(1)
	w := f.start(wave.Wave{})
	f.clock.Advance(time.Minute)
	f.work()
	for _, tt := range []struct {
		forget string
		want   time.Time
	}{
		{"changed_at = NULL", w.CreatedAt.Add(time.Minute)},
		{"changed_at = NULL, last_at = NULL", w.CreatedAt},
	} {
		if _, err := f.pool.Exec(t.Context(), "UPDATE waves SET "+tt.forget); err != nil {
			t.Fatal(err)
		}
		if got := f.wave(w.ID).ChangedAt; !got.Equal(tt.want) {
			t.Errorf("%s: changed at %s, want %s", tt.forget, got, tt.want)
		}
	}
}
