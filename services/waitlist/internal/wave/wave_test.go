package wave_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/wave"
)

var now = time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)

func started(w wave.Wave) *wave.Wave {
	w.Start(now)
	return &w
}

// batch is n entries of which the last has joined just now.
func batch(n int) []entry.Entry {
	entries := make([]entry.Entry, n)
	for i := range entries {
		entries[i] = entry.Entry{ID: uuid.New(), CreatedAt: now.Add(time.Duration(i-n) * time.Second)}
	}
	return entries
}

func TestNobodyWhoJoinsLaterIsPartOfIt(t *testing.T) {
	for _, before := range []time.Time{{}, now.Add(time.Hour)} {
		if w := started(wave.Wave{Who: wave.Who{JoinedBefore: before}}); !w.JoinedBefore.Equal(now) {
			t.Errorf("%s became %s", before, w.JoinedBefore)
		}
	}
	yesterday := now.Add(-24 * time.Hour)
	if w := started(wave.Wave{Who: wave.Who{JoinedBefore: yesterday}}); !w.JoinedBefore.Equal(yesterday) {
		t.Errorf("yesterday became %s", w.JoinedBefore)
	}
}

func TestBatchesKeepToTheRate(t *testing.T) {
	for _, tt := range []struct {
		perMinute, people int
		size              int
		pause             time.Duration
	}{
		{0, 0, wave.MaxBatch, 0},
		{1, 0, 1, time.Minute},
		{12, 0, 1, 5 * time.Second},
		{120, 0, 10, 5 * time.Second},
		{1_000_000, 0, wave.MaxBatch, 3 * time.Millisecond},
		{0, 3, 3, 0},
		{120, 3, 3, 1500 * time.Millisecond},
	} {
		w := started(wave.Wave{Who: wave.Who{People: tt.people}, PerMinute: tt.perMinute})
		if size := w.Batch(); size != tt.size {
			t.Errorf("%d a minute: batches of %d, want %d", tt.perMinute, size, tt.size)
		}
		w.Advance(batch(tt.size), nil, now)
		if pause := w.NextAt.Sub(now); pause != tt.pause {
			t.Errorf("%d a minute: a pause of %s, want %s", tt.perMinute, pause, tt.pause)
		}
	}
}

func TestItIsDoneWhenNobodyIsLeft(t *testing.T) {
	all, three := started(wave.Wave{}), started(wave.Wave{Who: wave.Who{People: 3}})
	for _, step := range []struct {
		w     *wave.Wave
		batch int
		want  wave.State
	}{{all, wave.MaxBatch, wave.Running}, {all, 7, wave.Done}, {three, 3, wave.Done}} {
		if step.w.Advance(batch(step.batch), nil, now); step.w.State != step.want {
			t.Errorf("after a batch of %d it is %s", step.batch, step.w.State)
		}
	}
	if all.Approved != wave.MaxBatch+7 || !all.Reached.Equal(now.Add(-time.Second)) {
		t.Errorf("%+v", all)
	}
}

func TestAShareIsRoundedUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		who      wave.Who
		matching int64
		total    int64
		people   int
	}{
		{wave.Who{}, 7, 7, 0},
		{wave.Who{People: 3}, 7, 3, 3},
		{wave.Who{People: 9}, 7, 7, 9},
		{wave.Who{Percent: 50}, 7, 4, 4},
		{wave.Who{Percent: 1}, 7, 1, 1},
		{wave.Who{Percent: 100}, 1_000_000, 1_000_000, 1_000_000},
		{wave.Who{Percent: 50}, 0, 0, 0},
	} {
		w := wave.Wave{Who: tt.who}
		if w.Count(tt.matching); w.Total != tt.total || w.People != tt.people {
			t.Errorf("of %d and %+v: %d in total, %d people; want %d and %d", tt.matching, tt.who, w.Total, w.People, tt.total, tt.people)
		}
	}
}

func TestFailuresCountAsPeopleAndPauseWhenThereAreMany(t *testing.T) {
	w := started(wave.Wave{Who: wave.Who{People: 2}})
	people := batch(2)
	if w.Advance(people, []uuid.UUID{people[1].ID}, now); w.State != wave.Done || w.Approved != 1 {
		t.Errorf("%+v", w)
	}
	w = started(wave.Wave{})
	for w.State == wave.Running {
		people := batch(wave.MaxBatch)
		ids := make([]uuid.UUID, len(people))
		for i, e := range people {
			ids[i] = e.ID
		}
		w.Advance(people, ids, now)
	}
	if w.State != wave.Paused || len(w.Failed) != wave.MaxFailures || !w.UndoUntil().IsZero() {
		t.Errorf("%s after %d failures", w.State, len(w.Failed))
	}
}

func TestWhatStaffMayDo(t *testing.T) {
	for _, tt := range []struct {
		from    wave.State
		startIn time.Duration
		action  wave.Action
		to      wave.State
		err     error
	}{
		{wave.Scheduled, time.Hour, wave.Pause, wave.Paused, nil},
		{wave.Scheduled, time.Hour, wave.Resume, wave.Scheduled, nil},
		{wave.Scheduled, time.Hour, wave.Cancel, wave.Cancelled, nil},
		{wave.Running, 0, wave.Pause, wave.Paused, nil},
		{wave.Running, 0, wave.Resume, wave.Running, nil},
		{wave.Running, 0, wave.Cancel, wave.Cancelled, nil},
		{wave.Paused, 0, wave.Pause, wave.Paused, nil},
		{wave.Paused, 0, wave.Resume, wave.Running, nil},
		{wave.Paused, time.Hour, wave.Resume, wave.Scheduled, nil},
		{wave.Done, 0, wave.Pause, wave.Done, wave.ErrEnded},
		{wave.Done, 0, wave.Resume, wave.Done, wave.ErrEnded},
		{wave.Done, 0, wave.Cancel, wave.Done, wave.ErrEnded},
		{wave.Cancelled, 0, wave.Resume, wave.Cancelled, wave.ErrEnded},
		{wave.Cancelled, 0, wave.Cancel, wave.Cancelled, nil},
	} {
		w := wave.Wave{State: tt.from, StartsAt: now.Add(tt.startIn)}
		changed, err := w.Change(tt.action, now)
		if !errors.Is(err, tt.err) || w.State != tt.to || changed != (tt.from != tt.to) {
			t.Errorf("%s of what is %s: %s, %t, %v", tt.action, tt.from, w.State, changed, err)
		}
	}
}

func TestUndoIsPossibleForAMinute(t *testing.T) {
	w := started(wave.Wave{})
	if _, err := w.Change(wave.Undo, now); !errors.Is(err, wave.ErrTooLate) {
		t.Errorf("nothing was undone: %v", err)
	}
	w.Advance(batch(wave.MaxBatch), nil, now)
	late := *w
	if _, err := late.Change(wave.Undo, now.Add(wave.UndoFor)); !errors.Is(err, wave.ErrTooLate) {
		t.Errorf("undone after a minute: %v", err)
	}
	if changed, err := w.Change(wave.Undo, now.Add(wave.UndoFor-1)); !changed || err != nil || w.State != wave.Cancelled {
		t.Errorf("undo: %s, %v", w.State, err)
	}
	w.Undone = wave.MaxBatch
	if changed, err := w.Change(wave.Undo, now); changed || err != nil {
		t.Errorf("undo again: %t, %v", changed, err)
	}
	if wave.HoldFor <= wave.UndoFor {
		t.Error("emails leave before their approval is certain")
	}
}
