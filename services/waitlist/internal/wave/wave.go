// Package wave has the rules of a wave, the approval of many entries in the background:
//
//	             its time comes
//	scheduled ─────────────────▶ running ───────▶ done
//	 ▲    │                      ▲    │
//	 │    └──────▶ paused ◀───── │ ───┘
//	 └───────────── │ ───────────┘
//	      Resume             Cancel, Undo: cancelled
//
// A wave approves its entries a batch at a time, and only while who started it or last resumed it is an
// admin. Approvals can be undone for UndoFor; their emails wait a little longer than that.
package wave

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/waitlist/internal/entry"
)

const (
	// UndoFor is how long an approval can be undone.
	UndoFor = time.Minute
	// HoldFor is how long the approval emails wait: longer than UndoFor, so that none leaves while
	// its approval is undone.
	HoldFor = UndoFor + 10*time.Second
	// MaxBatch is the most entries of a batch.
	MaxBatch = 50
	// MaxFailures pauses a wave: so many do not fail because of the entries.
	MaxFailures = 100
	// batchesPerMinute is how many batches a wave with a rate has in a minute at least.
	batchesPerMinute = 12
)

// State is a wave's state.
type State string

// There are no others: the database refuses them.
const (
	Scheduled State = "scheduled"
	Running   State = "running"
	Paused    State = "paused"
	Done      State = "done"
	Cancelled State = "cancelled"
)

// Errors of changes that a wave's state forbids.
var (
	ErrEnded    = errors.New("the wave has ended")
	ErrTooLate  = errors.New("it is too late to undo")
	errNoAction = errors.New("there is no such action")
)

// Who selects the pending entries of a wave.
type Who struct {
	// Search is as in a list, Source "" for any.
	Search       string
	Source       entry.Source
	JoinedBefore time.Time
	// People is how many of them, 0 for all.
	People int
	// Percent is how many of a hundred of them; Count makes People of it. 0 for all.
	Percent int
}

// Wave is one wave.
type Wave struct {
	ID uuid.UUID
	Who
	// StartsAt is when it begins.
	StartsAt time.Time
	// PerMinute is how many are approved in a minute at most, 0 for as fast as it goes.
	PerMinute int
	// Channel is the update channel of the Mac app that the approved get, entry.NoChannel for none.
	Channel entry.Channel
	State   State
	// Total is how many matched when it was started.
	Total int64
	// Approved counts the approvals, Undone those of them that were undone.
	Approved, Undone int64
	// Failed are the entries that could not be approved.
	Failed []uuid.UUID
	// Reached is when the latest of the entries joined that it is through with.
	Reached time.Time
	// NextAt is when the next batch is due, LastAt when the last approvals were, zero if there
	// are none or they were undone.
	NextAt, LastAt time.Time
	// ActorID and ActorEmail are who started or resumed it; uuid.Nil and "" when their account is gone.
	ActorID    uuid.UUID
	ActorEmail string
	CreatedAt  time.Time
	// ChangedAt is when it last went on or was changed.
	ChangedAt time.Time
	// StarterLostRole is true while it is paused because who started it is no admin any more.
	StarterLostRole bool
}

// Start makes a wave of its id, filter, time and rate. It begins at once if its time has come.
func (w *Wave) Start(now time.Time) {
	if w.JoinedBefore.IsZero() || w.JoinedBefore.After(now) {
		w.JoinedBefore = now
	}
	if w.StartsAt.Before(now) {
		w.StartsAt = now
	}
	w.State, w.NextAt, w.CreatedAt, w.ChangedAt = w.stateAt(now), w.StartsAt, now, now
}

// Count notes how many match the filter when it starts.
func (w *Wave) Count(matching int64) {
	w.Total = matching
	if w.Percent > 0 {
		w.People = int((matching*int64(w.Percent) + 99) / 100)
	}
	if w.People > 0 {
		w.Total = min(matching, int64(w.People))
	}
}

// Action is what staff do with a wave.
type Action string

// The actions.
const (
	Pause  Action = "pause"
	Resume Action = "resume"
	Cancel Action = "cancel"
	Undo   Action = "undo"
	// DropChannel is possible in every state.
	DropChannel Action = "drop_channel"
)

// Change applies the action and reports whether that changed anything. It returns ErrEnded for a
// wave that has ended, and ErrTooLate when nothing can be undone any more.
func (w *Wave) Change(action Action, now time.Time) (changed bool, err error) {
	to := Cancelled
	switch action {
	case Pause:
		to = Paused
	case Resume:
		to = w.stateAt(now)
	case Cancel:
	case Undo:
		return w.undo(now)
	case DropChannel:
		if w.Channel == entry.NoChannel {
			return false, nil
		}
		w.Channel, w.ChangedAt = entry.NoChannel, now
		return true, nil
	default:
		return false, errNoAction
	}
	switch {
	case w.State == to, action == Resume && w.State != Paused && !w.ended():
		return false, nil
	case w.ended():
		return false, ErrEnded
	}
	w.State, w.ChangedAt, w.StarterLostRole = to, now, false
	return true, nil
}

// Halt pauses a wave under way whose starter may not approve any more. Who resumes it takes it over.
func (w *Wave) Halt(now time.Time) {
	w.State, w.ChangedAt, w.StarterLostRole = Paused, now, true
}

func (w *Wave) undo(now time.Time) (changed bool, err error) {
	switch {
	case w.LastAt.IsZero() && w.Undone > 0:
		return false, nil
	case !now.Before(w.UndoUntil()):
		return false, ErrTooLate
	}
	w.LastAt, w.ChangedAt, w.StarterLostRole = time.Time{}, now, false
	if !w.ended() {
		w.State = Cancelled
	}
	return true, nil
}

// UndoUntil is until when approvals can be undone, zero when there are none.
func (w *Wave) UndoUntil() time.Time {
	if w.LastAt.IsZero() {
		return time.Time{}
	}
	return w.LastAt.Add(UndoFor)
}

// Batch is how many entries the next batch takes.
func (w *Wave) Batch() int {
	size := MaxBatch
	if w.PerMinute > 0 {
		size = min(size, max(1, w.PerMinute/batchesPerMinute))
	}
	if w.People > 0 {
		size = min(size, w.left())
	}
	return size
}

// Advance notes a batch: the entries, of the size asked for or of all that were left, which were
// approved but for the failed ones.
func (w *Wave) Advance(batch []entry.Entry, failed []uuid.UUID, now time.Time) {
	wasLast := len(batch) < w.Batch()
	w.NextAt, w.ChangedAt = now, now
	if w.PerMinute > 0 {
		w.NextAt = now.Add(time.Duration(len(batch)) * time.Minute / time.Duration(w.PerMinute))
	}
	if n := len(batch) - len(failed); n > 0 {
		w.Approved += int64(n)
		w.LastAt = now
	}
	if len(batch) > 0 {
		w.Reached = batch[len(batch)-1].CreatedAt
	}
	w.Failed = append(w.Failed, failed...)
	switch {
	case wasLast, w.People > 0 && w.left() <= 0:
		w.State = Done
	case len(failed) > 0 && len(w.Failed) >= MaxFailures:
		w.State = Paused
	default:
		w.State = Running
	}
}

// left is how many people a wave of a number of them still has.
func (w *Wave) left() int { return w.People - int(w.Approved) - len(w.Failed) }

func (w *Wave) stateAt(now time.Time) State {
	if w.StartsAt.After(now) {
		return Scheduled
	}
	return Running
}

func (w *Wave) ended() bool { return w.State == Done || w.State == Cancelled }
