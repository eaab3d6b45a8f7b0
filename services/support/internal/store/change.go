package store

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// The actions in the audit log.
const (
	Updated audit.Name = "ticket.updated"
	Opened  audit.Name = "ticket.opened"
)

// sameAnswer is how long the same words of the same person, with nothing between them, are one
// answer: a double click, or a retry of a caller that gives no key.
const sameAnswer = 10 * time.Minute

// staff is the audit log. Whether an answer was sent along is recorded, but not what it says.
var staff = audit.For(auditv1.Publisher_PUBLISHER_SUPPORT, audit.Terms{
	Actions: []audit.Name{Opened, Updated, Edited, Noted, AnswerSaved, AnswerDeleted},
	Fields:  []string{"status", "responded", "priority", "category", "assignee", "tags"},
})

// Update applies what staff wants and returns the ticket as it is then, or, with
// ticket.ErrStale, as it is instead. changed is false for an update that asks for
// what is so already. An answer that was sent before is not sent again.
func (s *Store) Update(ctx context.Context, actor ticket.Person, id uuid.UUID, u ticket.Update) (t ticket.Ticket, changed bool, err error) {
	err = s.asStaff(ctx, actor, func(ctx context.Context, tx pgx.Tx) error {
		changed = false
		// What is reopened may be raised, with others of the customer's: in the order of Reply and of changes of plans.
		seen, err := s.q.GetTicket(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.q.LockPerson(ctx, tx, seen.UserID.String()); err != nil {
			return err
		}
		r, err := s.q.LockTicket(ctx, tx, id)
		if err != nil {
			return err
		}
		t = fromRow(row(r))
		u, done, err := s.unsent(ctx, tx, actor, t, u)
		if err != nil || done {
			return err
		}
		step, changes, err := t.Apply(u, s.now())
		t = step.Ticket
		if err != nil || !changes {
			return err
		}
		changed = true
		key, sent := u.Key, []byte(nil)
		if u.Response == "" {
			key = ""
		}
		if key != "" {
			sent = u.Fingerprint(id.String())
		}
		if t, err = s.write(ctx, tx, step, actor, key, sent); err != nil {
			return err
		}
		return staff.Record(ctx, tx, audit.Action{
			Name: Updated, Subject: t.ID.String(), Label: t.Label(),
			Before: audit.State{"status": string(step.Before)},
			After:  audit.State{"status": string(t.Status), "responded": step.Body != ""},
		})
	})
	return t, changed && err == nil, err
}

// unsent is the update without an answer that the thread has already; done if nothing is left of
// it. The ticket's row is locked.
func (s *Store) unsent(ctx context.Context, tx pgx.Tx, actor ticket.Person, t ticket.Ticket, u ticket.Update) (left ticket.Update, done bool, err error) {
	if u.Response == "" {
		return u, false, nil
	}
	if u.Key != "" {
		known, err := s.q.MessageByKey(ctx, tx, db.MessageByKeyParams{AuthorID: actor.ID, IdempotencyKey: u.Key})
		if err == nil && !bytes.Equal(known.Fingerprint, u.Fingerprint(t.ID.String())) {
			return u, false, errKeyReused
		}
		if errors.Is(err, pgx.ErrNoRows) {
			return u, false, nil
		}
		return u, err == nil, err
	}
	last, err := s.q.LastMessage(ctx, tx, t.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return u, false, nil
	}
	if err != nil || last.AuthorID != actor.ID || last.Body != string(u.Response) || s.now().Sub(last.CreatedAt) >= sameAnswer {
		return u, false, err
	}
	u.Response = ""
	return u, u.Status == "" || u.Status == t.Status, nil
}

// Reply adds the customer's message to a ticket of their own and reports whether
// it is new: the same key for the same message adds once. Another person's ticket
// is as one that does not exist.
func (s *Store) Reply(ctx context.Context, customer ticket.Person, id uuid.UUID, body ticket.Text, key string) (t ticket.Ticket, isNew bool, err error) {
	sent := ticket.ReplyFingerprint(id.String(), body)
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.LockPerson(ctx, tx, customer.ID.String()); err != nil {
			return err
		}
		known, err := s.q.MessageByKey(ctx, tx, db.MessageByKeyParams{AuthorID: customer.ID, IdempotencyKey: key})
		switch {
		case err == nil:
			t, err = s.repeated(ctx, tx, known.TicketID, known.Fingerprint, sent)
			return err
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		r, err := s.q.LockTicket(ctx, tx, id)
		if err != nil {
			return err
		}
		if r.UserID != customer.ID {
			return ticket.ErrNotFound
		}
		now := s.now()
		step, err := fromRow(row(r)).Reply(body, now)
		if err != nil {
			return err
		}
		if err := s.allowReply(ctx, tx, customer.ID, now); err != nil {
			return err
		}
		isNew = true
		if t, err = s.write(ctx, tx, step, customer, key, sent); err != nil {
			return err
		}
		return s.tellStaff(ctx, tx, t, customer.ID)
	})
	return t, isNew && err == nil, err
}

// write makes a step true: the ticket's row, which is locked, the thread, the history and the email. It returns the
// ticket, which a plan may have raised besides.
func (s *Store) write(ctx context.Context, tx pgx.Tx, step ticket.Step, actor ticket.Person, key string, fingerprint []byte) (t ticket.Ticket, err error) {
	t = step.Ticket
	err = s.q.UpdateTicket(ctx, tx, db.UpdateTicketParams{
		ID: t.ID, Status: string(t.Status), UpdatedAt: t.UpdatedAt, Version: t.Version, LastMessageAt: t.LastMessageAt, LastMessageBy: string(t.LastMessageBy),
		WaitingSince: orNull(t.WaitingSince), AnsweredAt: orNull(t.AnsweredAt),
	})
	if err != nil {
		return t, err
	}
	if step.Body != "" {
		err := s.q.AddMessage(ctx, tx, db.AddMessageParams{
			ID: uuid.New(), TicketID: t.ID, Author: string(step.By), AuthorID: actor.ID, AuthorEmail: actor.Email, Body: string(step.Body),
			CreatedAt: t.UpdatedAt, IdempotencyKey: key, Fingerprint: fingerprint,
		})
		if err != nil {
			return t, err
		}
	}
	if err := s.addChanges(ctx, tx, t, actor, changesOf(step)); err != nil {
		return t, err
	}
	if step.Reopened() {
		if t, err = s.raiseReopened(ctx, tx, t); err != nil {
			return t, err
		}
	}
	if err := s.index(ctx, tx, maxInPassing, t); err != nil {
		return t, err
	}
	told, ok := email.ForStep(step, s.cfg.Email)
	if !ok {
		return t, nil
	}
	return t, s.emails.Enqueue(ctx, tx, told)
}

func (s *Store) addChanges(ctx context.Context, tx pgx.Tx, t ticket.Ticket, actor ticket.Person, changes []ticket.Change) error {
	for _, change := range changes {
		err := s.q.AddChange(ctx, tx, db.AddChangeParams{
			TicketID: t.ID, Version: t.Version, At: t.UpdatedAt, ActorID: actor.ID, ActorEmail: actor.Email,
			Field: change.Field, FromValue: change.From, ToValue: change.To,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func changesOf(step ticket.Step) []ticket.Change {
	var changes []ticket.Change
	if step.Body != "" {
		changes = append(changes, ticket.Change{Field: "message", To: string(step.By)})
	}
	if step.StatusChanged() {
		changes = append(changes, ticket.Change{Field: "status", From: string(step.Before), To: string(step.Ticket.Status)})
	}
	return changes
}
