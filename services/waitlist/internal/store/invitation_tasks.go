package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/secrettoken"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// An invitation is unused until its link was opened, an account has claimed it by that, or its person came signed in.
const (
	// invitationTasksEvery is the pause between two runs of the tasks about unused invitations.
	invitationTasksEvery = time.Minute
	// remindersAtOnce bounds how many reminders are queued in a run, so that those of many who were
	// approved together do not hold up other emails for long.
	remindersAtOnce = 100
	// invitationsAtOnce is how many invitations one transaction is about.
	invitationsAtOnce = 100
)

// InvitationTasks are the tasks about unused invitations that the configuration asks for.
func (s *Store) InvitationTasks() (tasks []periodic.Task) {
	task := func(name string, run func(context.Context) error) periodic.Task {
		return periodic.Task{Name: name, Every: invitationTasksEvery, Timeout: 5 * time.Minute, Exclusive: true, Run: run}
	}
	if s.cfg.RemindAfter > 0 {
		tasks = append(tasks, task("invitation_reminders", s.Remind))
	}
	if s.cfg.ExpireAfter > 0 {
		tasks = append(tasks, task("invitation_expiry", s.Expire))
	}
	return tasks
}

// Remind queues the reminders that are due, those of the oldest invitations first, and at most
// remindersAtOnce. One email reminds of an invitation once.
func (s *Store) Remind(ctx context.Context) error {
	return s.inBatches(ctx, remindersAtOnce, func(ctx context.Context, tx pgx.Tx, size, skip int32) ([]db.WaitlistUser, error) {
		return s.q.LockUnreminded(ctx, tx, db.LockUnremindedParams{Seconds: s.cfg.RemindAfter.Seconds(), Size: size, Skip: skip})
	}, s.remind)
}

// remind gives the reminder a link of its own, because of that in the approval email only the hash is
// known. Both work. While the expiry is off, it names no end.
func (s *Store) remind(ctx context.Context, tx pgx.Tx, row db.WaitlistUser) error {
	token, hash := secrettoken.New()
	leave, err := s.q.SetReminded(ctx, tx, db.SetRemindedParams{ID: row.ID, Hash: hash})
	if err != nil {
		return err
	}
	e := fromRow(row)
	if s.cfg.ExpireAfter == 0 {
		e.EndsAt = time.Time{}
	}
	return s.emails.Enqueue(ctx, tx, email.Reminder(e, s.cfg.SiteOrigin, token, leave.String()))
}

// Expire makes the entries pending again whose invitation has ended unused.
func (s *Store) Expire(ctx context.Context) error {
	return s.inBatches(audit.WithActor(ctx, "waitlist"), math.MaxInt, func(ctx context.Context, tx pgx.Tx, size, skip int32) ([]db.WaitlistUser, error) {
		return s.q.LockEnded(ctx, tx, db.LockEndedParams{Size: size, Skip: skip})
	}, s.expire)
}

func (s *Store) expire(ctx context.Context, tx pgx.Tx, row db.WaitlistUser) error {
	e := fromRow(row)
	_, err := s.apply(ctx, tx, &e, Expired, "", func(_ context.Context, _ pgx.Tx, e *entry.Entry) (bool, error) {
		e.Expire(s.clock.Now())
		return true, nil
	})
	return err
}

// inBatches works on the rows that lock finds, a transaction for each batch of them, until none is left or it has
// succeeded with most of them. One that fails keeps none of the others: the next batch skips it.
func (s *Store) inBatches(ctx context.Context, most int, lock func(ctx context.Context, tx pgx.Tx, size, skip int32) ([]db.WaitlistUser, error), work func(ctx context.Context, tx pgx.Tx, row db.WaitlistUser) error) error {
	var failures []error
	for done := 0; done < most; {
		size, found, failed := min(invitationsAtOnce, most-done), 0, []error{}
		err := s.inBackground(ctx, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := lock(ctx, tx, int32(size), int32(len(failures)))
			if err != nil {
				return err
			}
			found = len(rows)
			for _, row := range rows {
				err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return work(ctx, tx, row) }) // a savepoint
				if err != nil && (ctx.Err() != nil || errors.Is(pg.Fault(err, nil), fault.Unavailable)) {
					return err
				}
				if err != nil {
					failed = append(failed, fmt.Errorf("entry %s: %w", row.ID, err))
				}
			}
			return nil
		})
		failures = append(failures, failed...)
		if err != nil || found < size {
			return errors.Join(append(failures, err)...)
		}
		done += found - len(failed)
	}
	return errors.Join(failures...)
}

// inBackground runs work in a transaction for which nobody waits.
func (s *Store) inBackground(ctx context.Context, work func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, waveDeadline)
	defer cancel()
	return pg.Fault(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return work(ctx, tx) }), nil)
}
