package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

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
	errtest.None(t, err)
	defer func() { _ = tx.Rollback(ctx) }()
	errtest.None(t, insertRaw(ctx, tx, "hold@example.com"))
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

func TestAnErasedAccountIsInNoWave(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(2)
	goes, stays := f.start(wave.Wave{Who: wave.Who{Search: "Person001@example.com"}}), f.start(wave.Wave{})
	account := erasure.Account{ID: stays.ActorID, Emails: []string{"person001@example.com"}, Deleted: f.clock.Now()}
	err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { _, err := f.Erase(t.Context(), tx, account); return err })
	errtest.None(t, err)
	f.work()
	if waves, _, err := f.Waves(t.Context()); err != nil || len(waves) != 1 || waves[0].ID == goes.ID || waves[0].ActorID != uuid.Nil || waves[0].ActorEmail != "" {
		t.Errorf("%+v, %v", waves, err)
	}
	f.is(stays.ID, wave.Paused, 0) // until another admin resumes it
}

// TestWavesForgetAnErasedAddress: by a part that has all before the @, too, but not what many have in theirs.
func TestWavesForgetAnErasedAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	erased := f.joined("ada.lovelace@example.com")
	f.joined("other@ada.example.com")
	f.joined("ad_ovelace@example.com")
	f.clock.Advance(time.Minute)
	searches := []string{"Ada.Lovelace@", "ada.lovelace", "ada.love", "lace@example.com", "example.com", "@ada.example", "Ada Lovelace", "example com", "ad_ ovelace"}
	var ids []uuid.UUID
	for _, search := range searches {
		ids = append(ids, f.start(wave.Wave{Who: wave.Who{Search: search}, StartsAt: f.clock.Now().Add(time.Hour)}).ID)
	}
	f.exec(`UPDATE waves SET failed = ARRAY['` + erased.ID.String() + `', '` + ids[0].String() + `']::uuid[]`)
	account := erasure.Account{ID: uuid.New(), Emails: []string{"ada.lovelace@example.com"}, Deleted: f.clock.Now()}
	f.inTx(func(tx pgx.Tx) error { _, err := f.Erase(t.Context(), tx, account); return err })
	waves, _, err := f.Waves(t.Context())
	errtest.None(t, err)
	var left []string
	for _, w := range waves {
		left = append(left, w.Search)
		if !slices.Equal(w.Failed, ids[:1]) {
			t.Errorf("%s: failed %v", w.Search, w.Failed)
		}
	}
	slices.Sort(left)
	if want := []string{"@ada.example", "ad_ ovelace", "ada.love", "example com", "example.com", "lace@example.com"}; !slices.Equal(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
}
