package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
	"fledge.dev/services/waitlist/internal/wave"
)

const (
	// waveDeadline bounds a batch of a wave or of unused invitations, and a change of a wave, which may wait for one,
	// or for an import.
	waveDeadline = 15 * time.Second
	// waveBatches is how many batches a run has at most.
	waveBatches = 100
)

// Working is the task that approves the entries of waves. All replicas have it: the row of a wave is
// locked by whoever is at its next batch.
func (s *Store) Working() periodic.Task {
	return periodic.Task{Name: "waves", Every: time.Second, Retry: 5 * time.Second, Timeout: 2 * time.Minute, Wake: s.woken, Run: s.Work}
}

func (s *Store) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it is about to look
	}
}

// Work approves batches of waves until none is due. The error is also about entries that could not be
// approved, which the wave leaves behind.
func (s *Store) Work(ctx context.Context) error {
	for range waveBatches {
		if worked, err := s.workBatch(ctx); err != nil || !worked {
			return err
		}
	}
	return nil
}

// workBatch approves the next batch of the wave that is due first, in one transaction with the
// wave's progress: when it fails, or the process is killed, it has not happened. Whether its starter
// may approve is asked before that, while nothing is locked.
func (s *Store) workBatch(ctx context.Context) (worked bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, waveDeadline)
	defer cancel()
	due, err := s.q.LockDueWave(ctx, s.pool, s.clock.Now())
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, pg.Fault(err, nil)
	}
	may, err := s.mayApprove(ctx, waveOf(due))
	if err != nil {
		return false, pg.Fault(err, nil)
	}
	var unapproved error
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		row, err := s.q.LockDueWave(ctx, tx, s.clock.Now())
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if worked = true; row.ID != due.ID || row.ActorID != due.ActorID {
			return nil // the answer is about another wave or starter: ask again
		}
		w := waveOf(row)
		if !may {
			return s.halt(ctx, tx, w)
		}
		batch, failed, err := s.approveBatch(actor(ctx, w), tx, w)
		if err != nil {
			return err
		}
		unapproved = errors.Join(slices.Collect(maps.Values(failed))...)
		w.Advance(batch, slices.Collect(maps.Keys(failed)), s.clock.Now())
		return s.q.SetWave(ctx, tx, progressOf(w))
	})
	if err != nil {
		return false, pg.Fault(err, nil)
	}
	return worked, unapproved
}

// mayApprove asks whether who started the wave, or last resumed it, is still an admin: they may have
// lost the role, or their account, long after that.
func (s *Store) mayApprove(ctx context.Context, w wave.Wave) (bool, error) {
	if w.ActorID == uuid.Nil {
		return false, nil
	}
	return s.cfg.IsAdmin(ctx, w.ActorID)
}

// halt pauses a wave whose starter may not approve any more.
func (s *Store) halt(ctx context.Context, tx pgx.Tx, w wave.Wave) error {
	before := w.State
	w.Halt(s.clock.Now())
	if err := s.q.SetWave(ctx, tx, progressOf(w)); err != nil {
		return err
	}
	return staff.Record(audit.WithActor(ctx, "waitlist"), tx, audit.Action{
		Name: WavePaused, Subject: w.ID.String(), Before: audit.State{"state": string(before)}, After: audit.State{"state": string(w.State)},
	})
}

// approveBatch approves the next entries of the wave as Approve does, but their emails wait. Those that
// cannot be approved, failed says why, keep none of the others back.
func (s *Store) approveBatch(ctx context.Context, tx pgx.Tx, w wave.Wave) (batch []entry.Entry, failed map[uuid.UUID]error, err error) {
	rows, err := s.q.LockNextOfWave(ctx, tx, db.LockNextOfWaveParams{
		Reached: w.Reached, JoinedBefore: w.JoinedBefore, StartedAt: w.CreatedAt, Source: string(w.Source), Pattern: patternOf(w.Search), Spelled: spelledPatternOf(w.Search), Failed: w.Failed, Size: int32(w.Batch()),
	})
	if err != nil {
		return nil, nil, err
	}
	leaves := s.clock.Now().Add(wave.HoldFor)
	approved, failed := []uuid.UUID{}, map[uuid.UUID]error{}
	for _, row := range rows {
		e := fromRow(row)
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // a savepoint
			_, err := s.apply(ctx, tx, &e, Approved, "", func(ctx context.Context, tx pgx.Tx, e *entry.Entry) (bool, error) {
				return s.approve(ctx, tx, e, leaves)
			})
			return err
		})
		switch {
		case err == nil:
			approved = append(approved, e.ID)
		case ctx.Err() != nil, errors.Is(pg.Fault(err, nil), fault.Unavailable):
			return nil, nil, err
		default:
			failed[e.ID] = fmt.Errorf("wave %s: approve %s: %w", w.ID, e.ID, err)
		}
		batch = append(batch, e)
	}
	return batch, failed, s.q.SetEntriesWave(ctx, tx, db.SetEntriesWaveParams{Wave: w.ID, Channel: string(w.Channel), Ids: approved})
}
