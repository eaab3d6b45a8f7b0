package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

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
	errtest.None(t, f.doAs(second, w.ID, wave.Resume))
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
