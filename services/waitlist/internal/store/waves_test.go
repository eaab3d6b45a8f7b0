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
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
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
	if err := f.Work(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

// wave is how far the wave is.
func (f *fixture) wave(id uuid.UUID) wave.Wave {
	f.t.Helper()
	waves, _, err := f.Waves(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
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
	if err := f.pool.QueryRow(t.Context(), "SELECT scheduled_at FROM mail.river_job ORDER BY id DESC LIMIT 1").Scan(&leaves); err != nil {
		t.Fatal(err)
	}
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
	later := wave.Wave{StartsAt: f.clock.Now().Add(time.Hour)}
	ahead := f.start(later)
	for range store.MaxWaves {
		f.clock.Advance(time.Second)
		if err := f.do(f.start(later).ID, wave.Cancel); err != nil {
			t.Fatal(err)
		}
	}
	f.is(ahead.ID, wave.Scheduled, 0)
}

func TestAWaveRestsWhileItIsPaused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(3)
	w := f.start(wave.Wave{PerMinute: 1})
	f.work()
	for range 2 {
		if err := f.do(w.ID, wave.Pause); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(time.Hour)
		f.work()
		f.is(w.ID, wave.Paused, 1)
	}
	if err := f.do(w.ID, wave.Resume); err != nil {
		t.Fatal(err)
	}
	f.work()
	f.is(w.ID, wave.Running, 2) // what it would have done meanwhile is not made up for
	if err := f.do(w.ID, wave.Cancel); err != nil {
		t.Fatal(err)
	}
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
		if err := f.do(w.ID, wave.Undo); err != nil {
			t.Fatal(err)
		}
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

// TestAWaveStopsWhenItsStarterIsNoAdminAnyMore, approves nobody meanwhile, and goes on for whoever
// resumes it.
func TestAWaveStopsWhenItsStarterIsNoAdminAnyMore(t *testing.T) {
	t.Parallel()
	second, secondID := another()
	away := false
	cfg := patient
	cfg.IsAdmin = func(_ context.Context, account uuid.UUID) (bool, error) {
		if away {
			return false, fault.New(fault.Unavailable, "away", "")
		}
		return account == secondID, nil
	}
	f := newFixture(t, cfg)
	f.crowd(3)
	w := f.start(wave.Wave{})
	away = true
	if err := f.Work(t.Context()); !errors.Is(err, fault.Unavailable) {
		t.Errorf("while nobody can be asked: %v", err)
	}
	f.is(w.ID, wave.Running, 0)
	away = false
	f.work()
	f.is(w.ID, wave.Paused, 0)
	if !f.wave(w.ID).StarterLostRole || f.count(approvedEntries) != 0 {
		t.Errorf("%+v", f.wave(w.ID))
	}
	if told := audittest.Actions(t, f.pool); told[len(told)-1].GetAction() != "wave.paused" || told[len(told)-1].GetActorEmail() != "waitlist" {
		t.Errorf("recorded %v", told[len(told)-1])
	}
	if err := f.doAs(second, w.ID, wave.Resume); err != nil {
		t.Fatal(err)
	}
	f.work()
	f.is(w.ID, wave.Done, 3)
	if now := f.wave(w.ID); now.StarterLostRole || now.ActorID != secondID || now.ActorEmail != "another@example.com" {
		t.Errorf("the wave is %+v", now)
	}
	approved := 0
	for _, action := range audittest.Actions(t, f.pool) {
		if action.GetAction() == string(store.Approved) {
			if approved++; action.GetActorId() != secondID.String() || action.GetActorEmail() != "another@example.com" {
				t.Errorf("recorded %v", action)
			}
		}
	}
	if approved != 3 {
		t.Errorf("%d records of approvals", approved)
	}
}

// TestAWaveCanBeChangedWhileItsStarterIsAskedFor, and an answer about who has lost it meanwhile counts
// for nobody else.
func TestAWaveCanBeChangedWhileItsStarterIsAskedFor(t *testing.T) {
	t.Parallel()
	second, secondID := another()
	var f *fixture
	var w wave.Wave
	var asked []uuid.UUID
	cfg := patient
	cfg.IsAdmin = func(_ context.Context, account uuid.UUID) (bool, error) {
		if asked = append(asked, account); len(asked) > 1 {
			return true, nil
		}
		return false, errors.Join(f.do(w.ID, wave.Pause), f.doAs(second, w.ID, wave.Resume))
	}
	f = newFixture(t, cfg)
	f.crowd(1)
	w = f.start(wave.Wave{})
	f.work()
	f.is(w.ID, wave.Done, 1)
	if want := []uuid.UUID{w.ActorID, secondID}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
}

// TestWhoIsImportedAfterTheStartIsInNoWave, however long ago they joined elsewhere.
func TestWhoIsImportedAfterTheStartIsInNoWave(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	add := func(address string) {
		t.Helper()
		long := f.clock.Now().Add(-24 * time.Hour)
		part := store.ImportPart{ID: importID, First: 2, Last: 2, Entries: []entry.Entry{entry.Imported(email(t, address), entry.Pending, entry.Import, long, 2)}}
		if _, err := f.Import(f.staff(), part); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(time.Minute)
	}
	add("before@example.com")
	w := f.start(wave.Wave{StartsAt: f.clock.Now().Add(time.Hour)})
	f.clock.Advance(time.Minute)
	add("scheduled@example.com")
	f.clock.Advance(time.Hour)
	f.work()
	f.is(w.ID, wave.Done, 1)
	if f.find("before@example.com").Status != entry.Approved || f.find("scheduled@example.com").Status != entry.Pending {
		t.Error("the wave took who was imported later")
	}
	next := f.start(wave.Wave{})
	f.work()
	f.is(next.ID, wave.Done, 1)
}

// TestWhoIsPendingAgainAfterTheStartIsInNoWave that has not reached them yet.
// TestAWaveStartsAfterAnImportThatIsUnderWay, and counts and approves whom it adds.
func TestAWaveStartsAfterAnImportThatIsUnderWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	ctx := context.Background()
	tx, err := f.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if err := insertRaw(ctx, tx, "hold@example.com"); err != nil {
		t.Fatal(err)
	}
	waiting := func(what, query string) {
		t.Helper()
		waittest.Eventually(t, what, func() bool {
			return f.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%"+query+"%'") == 1
		})
	}
	imported := make(chan error, 1)
	go func() {
		part := store.ImportPart{ID: importID, First: 2, Last: 3}
		for i, address := range []string{"ada@example.com", "hold@example.com"} {
			part.Entries = append(part.Entries, entry.Imported(entry.StoredEmail(address), entry.Pending, entry.Import, epoch.Add(-time.Hour), i))
		}
		_, err := f.Import(f.staff(), part)
		imported <- err
	}()
	waiting("the import waits for the row", "name: AddEntries")
	f.clock.Advance(time.Second)
	started := make(chan wave.Wave, 1)
	go func() {
		w, _, err := f.StartWave(f.staff(), wave.Wave{ID: uuid.New()})
		if err != nil {
			t.Error(err)
		}
		started <- w
	}()
	waiting("the wave waits for the import", "name: LockImports")
	if err := errors.Join(tx.Rollback(ctx), <-imported); err != nil {
		t.Error(err)
	}
	w := <-started
	if w.Total != 2 {
		t.Errorf("the wave has %d people, want 2", w.Total)
	}
	f.work()
	f.is(w.ID, wave.Done, 2)
}

func TestWhoIsPendingAgainAfterTheStartIsInNoWave(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	people := f.crowd(2)
	if _, _, err := f.Remove(f.staff(), people[0].ID); err != nil {
		t.Fatal(err)
	}
	w := f.start(wave.Wave{StartsAt: f.clock.Now().Add(time.Hour)})
	f.clock.Advance(time.Minute)
	if _, _, err := f.Add(f.staff(), people[0].Email); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Hour)
	f.work()
	f.is(w.ID, wave.Done, 1)
	if now := f.find(people[0].Email.String()); now.Status != entry.Pending {
		t.Errorf("the wave made who was added again %s", now.Status)
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

func TestAnErasedAccountIsInNoWave(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(2)
	goes, stays := f.start(wave.Wave{Who: wave.Who{Search: "Person001@example.com"}}), f.start(wave.Wave{})
	account := erasure.Account{ID: stays.ActorID, Emails: []string{"person001@example.com"}}
	err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { _, err := f.Erase(t.Context(), tx, account); return err })
	if err != nil {
		t.Fatal(err)
	}
	f.work()
	if waves, _, err := f.Waves(t.Context()); err != nil || len(waves) != 1 || waves[0].ID == goes.ID || waves[0].ActorID != uuid.Nil || waves[0].ActorEmail != "" {
		t.Errorf("%+v, %v", waves, err)
	}
	f.is(stays.ID, wave.Paused, 0) // until another admin resumes it
}
