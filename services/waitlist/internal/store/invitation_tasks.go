package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
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
	// expiriesAtOnce is how many invitations end in one transaction.
	expiriesAtOnce = 100
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
	return s.inBackground(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := s.q.LockUnreminded(ctx, tx, db.LockUnremindedParams{Seconds: s.cfg.RemindAfter.Seconds(), Size: remindersAtOnce})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := s.remind(ctx, tx, row); err != nil {
				return err
			}
		}
		return nil
	})
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
	ctx = audit.WithActor(ctx, "waitlist")
	for n := expiriesAtOnce; n == expiriesAtOnce; {
		err := s.inBackground(ctx, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := s.q.LockEnded(ctx, tx, expiriesAtOnce)
			if err != nil {
				return err
			}
			n = len(rows)
			for _, row := range rows {
				e := fromRow(row)
				_, err := s.apply(ctx, tx, &e, Expired, "", func(_ context.Context, _ pgx.Tx, e *entry.Entry) (bool, error) {
					e.Expire(s.clock.Now())
					return true, nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inBackground runs work in a transaction for which nobody waits.
func (s *Store) inBackground(ctx context.Context, work func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, waveDeadline)
	defer cancel()
	return pg.Fault(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return work(ctx, tx) }), nil)
}
