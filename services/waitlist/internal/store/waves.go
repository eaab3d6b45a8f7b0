package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
	"fledge.dev/services/waitlist/internal/wave"
)

// MaxWaves is how many waves Waves returns: first those that have not ended, then those that have given people a channel.
const MaxWaves = 20

var (
	errNoWave    = fault.New(fault.NotFound, "wave_not_found", "This wave does not exist.")
	errWaveEmpty = fault.New(fault.Conflict, "wave_empty", "Nobody who can be approved matches. People whose invitation has expired are left out.")
	errWaveEnded = fault.New(fault.Conflict, "wave_ended", "These approvals have ended already.")
	errTooLate   = fault.New(fault.Conflict, "wave_too_late", "It is too late to undo: the emails are on their way.")
)

// PreviewWave returns the wave with its start and the number of people that it would have.
func (s *Store) PreviewWave(ctx context.Context, w wave.Wave) (wave.Wave, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	w.Start(s.clock.Now())
	err := s.countWave(ctx, s.pool, &w)
	return w, pg.Fault(err, nil)
}

// StartWave starts a wave for who acts in the context and reports whether that changed anything: one
// of the same id stays as it is. The error is a Conflict when nobody matches.
func (s *Store) StartWave(ctx context.Context, w wave.Wave) (started wave.Wave, changed bool, err error) {
	if err := setActor(ctx, &w); err != nil {
		return started, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, waveDeadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.q.LockImports(ctx, tx); err != nil {
			return err
		}
		w.Start(s.clock.Now())
		if err := s.countWave(ctx, tx, &w); err != nil {
			return err
		}
		if w.Total > 0 {
			n, err := s.q.StartWave(ctx, tx, startOf(w))
			if err != nil {
				return err
			}
			changed = n == 1
		}
		row, err := s.q.LockWave(ctx, tx, w.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return errWaveEmpty
		}
		if started = waveOf(row); err != nil || !changed {
			return err
		}
		after := audit.State{"state": string(w.State), "people": w.Total, "per_minute": w.PerMinute, "starts_at": w.StartsAt.UTC().Format(time.RFC3339)}
		if w.Channel != entry.NoChannel {
			after["channel"] = string(w.Channel)
		}
		return staff.Record(ctx, tx, audit.Action{Name: WaveStarted, Subject: w.ID.String(), After: after})
	})
	if changed = changed && err == nil; changed {
		s.wake()
	}
	return started, changed, pg.Fault(err, nil)
}

// setActor makes who acts in the context the one in whose name the wave approves.
func setActor(ctx context.Context, w *wave.Wave) error {
	actor, ok := authn.FromContext(ctx)
	if !ok {
		return authn.ErrNoToken
	}
	id, err := uuid.Parse(actor.UserID)
	if err != nil {
		return authn.ErrNoToken
	}
	w.ActorID, w.ActorEmail = id, actor.Email
	return nil
}

func (s *Store) countWave(ctx context.Context, tx db.DBTX, w *wave.Wave) error {
	n, err := s.q.CountWave(ctx, tx, db.CountWaveParams{JoinedBefore: w.JoinedBefore, Source: string(w.Source), Pattern: patternOf(w.Search), Spelled: spelledPatternOf(w.Search)})
	w.Count(n)
	return err
}

// Failure is somebody whom a wave could not approve.
type Failure struct {
	ID    uuid.UUID
	Email string
}

// Waves returns the waves that have not ended and the latest others, newest first, and those of their
// failures who are still pending.
func (s *Store) Waves(ctx context.Context) (waves []wave.Wave, failures map[uuid.UUID]Failure, err error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	rows, err := s.q.LatestWaves(ctx, s.pool, MaxWaves)
	if err != nil {
		return nil, nil, pg.Fault(err, nil)
	}
	var failed []uuid.UUID
	for _, row := range rows {
		waves = append(waves, waveOf(row))
		failed = append(failed, row.Failed...)
	}
	failures = map[uuid.UUID]Failure{}
	if len(failed) == 0 {
		return waves, failures, nil
	}
	people, err := s.q.FailedOfWaves(ctx, s.pool, failed)
	for _, p := range people {
		failures[p.ID] = Failure(p)
	}
	return waves, failures, pg.Fault(err, nil)
}

// changesOf are the audit records of what staff do with a wave.
var changesOf = map[wave.Action]audit.Name{
	wave.Pause: WavePaused, wave.Resume: WaveResumed, wave.Cancel: WaveCancelled, wave.Undo: WaveUndone, wave.DropChannel: WaveChannelDropped,
}

// ChangeWave pauses, resumes or cancels a wave, undoes its latest approvals, or takes back the update channel that it has
// given, and reports whether that changed anything. The error is a Conflict for a wave that has ended, and when it is too late
// to undo.
func (s *Store) ChangeWave(ctx context.Context, id uuid.UUID, action wave.Action) (w wave.Wave, changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, waveDeadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		row, err := s.q.LockWave(ctx, tx, id) // waits for a batch under way
		if err != nil {
			return err
		}
		w = waveOf(row)
		before, now := audit.State{"state": string(w.State)}, s.clock.Now()
		if action == wave.DropChannel {
			before["channel"] = string(w.Channel)
		}
		changed, err = w.Change(action, now)
		switch {
		case errors.Is(err, wave.ErrEnded):
			return errWaveEnded.Wrap(err)
		case errors.Is(err, wave.ErrTooLate):
			return errTooLate.Wrap(err)
		case err != nil || !changed:
			return err
		}
		if action == wave.Resume {
			if err := setActor(ctx, &w); err != nil {
				return err
			}
		}
		after := audit.State{"state": string(w.State)}
		if action == wave.Undo {
			n, err := s.undo(ctx, tx, w, now)
			if err != nil {
				return err
			}
			w.Undone += int64(n)
			after["undone"] = n
		}
		if action == wave.DropChannel {
			if after["people"], err = s.dropChannel(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := s.q.SetWave(ctx, tx, progressOf(w)); err != nil {
			return err
		}
		return staff.Record(ctx, tx, audit.Action{Name: changesOf[action], Subject: id.String(), Before: before, After: after})
	})
	if changed = changed && err == nil; changed {
		s.wake()
	}
	return w, changed, pg.Fault(err, errNoWave)
}

// undo makes pending again whom the wave has approved in the last minute, rejected if they have left since. Their emails are withdrawn
// when their time comes, because they are about an earlier version of the entry.
func (s *Store) undo(ctx context.Context, tx pgx.Tx, w wave.Wave, now time.Time) (n int, err error) {
	rows, err := s.q.UndoApprovals(ctx, tx, db.UndoApprovalsParams{Now: now, Since: now.Add(-wave.UndoFor), Wave: w.ID})
	if err != nil {
		return 0, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	if err := s.q.DropInvitation(ctx, tx, ids); err != nil {
		return 0, err
	}
	return len(rows), s.recordAll(ctx, tx, Undone, rows, entry.Approved)
}

// dropsAtOnce is from how many a channel is taken back in one statement, which has its time, too.
const dropsAtOnce = 5000

// dropChannel takes the channel back from all to whom the wave has given it.
func (s *Store) dropChannel(ctx context.Context, tx pgx.Tx, id uuid.UUID) (people int64, err error) {
	for n := int64(dropsAtOnce); n == dropsAtOnce && err == nil; people += n {
		n, err = s.q.DropChannel(ctx, tx, db.DropChannelParams{Wave: id, Size: dropsAtOnce})
	}
	return people, err
}

func startOf(w wave.Wave) db.StartWaveParams {
	return db.StartWaveParams{
		ID: w.ID, Search: w.Search, Source: string(w.Source), JoinedBefore: w.JoinedBefore, People: int32(w.People), PerMinute: int32(w.PerMinute),
		StartsAt: w.StartsAt, State: string(w.State), Total: w.Total, ActorID: w.ActorID, ActorEmail: w.ActorEmail, CreatedAt: w.CreatedAt, Channel: string(w.Channel),
	}
}

func progressOf(w wave.Wave) db.SetWaveParams {
	return db.SetWaveParams{
		ID: w.ID, State: string(w.State), Approved: w.Approved, Undone: w.Undone, Failed: w.Failed, Reached: w.Reached, NextAt: w.NextAt,
		LastAt: orNull(w.LastAt), ChangedAt: pgtype.Timestamptz{Time: w.ChangedAt, Valid: true}, StarterLostRole: w.StarterLostRole,
		ActorID: w.ActorID, ActorEmail: w.ActorEmail, Channel: string(w.Channel),
	}
}

func waveOf(row db.Wave) wave.Wave {
	changed := row.CreatedAt
	switch {
	case row.ChangedAt.Valid:
		changed = row.ChangedAt.Time
	case row.LastAt.Valid:
		changed = row.LastAt.Time
	}
	return wave.Wave{
		ID:       row.ID,
		Who:      wave.Who{Search: row.Search, Source: entry.Source(row.Source), JoinedBefore: row.JoinedBefore, People: int(row.People)},
		StartsAt: row.StartsAt, PerMinute: int(row.PerMinute), Channel: entry.Channel(row.Channel), State: wave.State(row.State),
		Total: row.Total, Approved: row.Approved, Undone: row.Undone, Failed: row.Failed, Reached: row.Reached, NextAt: row.NextAt, LastAt: row.LastAt.Time,
		ActorID: row.ActorID, ActorEmail: row.ActorEmail, CreatedAt: row.CreatedAt,
		ChangedAt: changed, StarterLostRole: row.StarterLostRole,
	}
}

// actor is who approves in a wave: who started or resumed it.
func actor(ctx context.Context, w wave.Wave) context.Context {
	return authn.WithPrincipal(ctx, authn.Principal{UserID: w.ActorID.String(), Email: w.ActorEmail})
}
