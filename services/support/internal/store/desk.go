package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// The actions in the audit log. What notes and answers say is not recorded.
const (
	Edited        audit.Name = "ticket.edited"
	Noted         audit.Name = "ticket.note_added"
	AnswerSaved   audit.Name = "canned_answer.saved"
	AnswerDeleted audit.Name = "canned_answer.deleted"
)

// MaxEarlier is how many earlier messages are read at once.
const MaxEarlier = 50

// MaxAnswers is how many canned answers there may be.
const MaxAnswers = 200

const noStaff = "The value of assignee_id is not the id of somebody who works on tickets."

var (
	errNoStaff  = fault.InvalidField("assignee_id", noStaff)
	errNoAnswer = fault.New(fault.NotFound, "canned_answer_not_found", "There is no such canned answer.")
	errTitle    = fault.New(fault.Conflict, "canned_answer_exists", "There is a canned answer of that title already.")
	errAnswers  = fault.New(fault.Conflict, "too_many_canned_answers", "There are 200 canned answers already. Please delete one first.")
)

// StaffChoices is what staff have to work with.
type StaffChoices struct {
	Staff   []ticket.Person
	Answers []ticket.CannedAnswer
}

// StaffChoices returns whom a ticket can be given to, and the canned answers. Whoever asks is one of the staff from then on: the
// first ticket of all tells those who have looked at the empty list.
func (s *Store) StaffChoices(ctx context.Context, actor ticket.Person) (StaffChoices, error) {
	var choices StaffChoices
	err := s.asStaff(ctx, actor, func(ctx context.Context, tx pgx.Tx) error {
		staff, err := s.q.DeskStaff(ctx, tx)
		if err != nil {
			return err
		}
		for _, m := range staff {
			choices.Staff = append(choices.Staff, ticket.Person{ID: m.ID, Email: m.Email})
		}
		answers, err := s.q.CannedAnswers(ctx, tx)
		for _, a := range answers {
			choices.Answers = append(choices.Answers, ticket.CannedAnswer(a))
		}
		return err
	})
	return choices, err
}

// Edit changes what staff may set besides the status. Nothing changes, and there is no new
// version, if all of it is so already.
func (s *Store) Edit(ctx context.Context, actor ticket.Person, id uuid.UUID, e ticket.Edit) (t ticket.Ticket, err error) {
	err = s.asStaff(ctx, actor, func(ctx context.Context, tx pgx.Tx) error {
		r, err := s.q.LockTicket(ctx, tx, id)
		if err != nil {
			return err
		}
		before := fromRow(row(r))
		if e.Assignee, err = s.assignee(ctx, tx, actor, e.Assignee); err != nil {
			return err
		}
		var changes []ticket.Change
		if t, changes = before.Edit(e, s.now()); len(changes) == 0 {
			return nil
		}
		err = s.q.EditTicket(ctx, tx, db.EditTicketParams{
			ID: t.ID, Priority: string(t.Priority), Category: string(t.Category), Tags: strings.Fields(t.Tags), UpdatedAt: t.UpdatedAt, Version: t.Version,
			AssigneeID: uuid.NullUUID{UUID: t.Assignee.ID, Valid: t.Assignee.ID != uuid.Nil}, AssigneeEmail: t.Assignee.Email,
		})
		if err != nil {
			return err
		}
		if err := s.addChanges(ctx, tx, t, actor, changes); err != nil {
			return err
		}
		return staff.Record(ctx, tx, audit.Action{Name: Edited, Subject: t.ID.String(), Label: t.Label(), Before: stateOf(before), After: stateOf(t)})
	})
	return t, err
}

// stateOf is what Edit may change, for the audit log: people by their ids.
func stateOf(t ticket.Ticket) audit.State {
	state := audit.State{"priority": string(t.Priority), "category": string(t.Category), "tags": strings.Fields(t.Tags), "assignee": ""}
	if t.Assignee.ID != uuid.Nil {
		state["assignee"] = t.Assignee.ID.String()
	}
	return state
}

// assignee completes the person who is to have a ticket; nil keeps whose it is.
func (s *Store) assignee(ctx context.Context, tx pgx.Tx, actor ticket.Person, wanted *ticket.Person) (*ticket.Person, error) {
	switch {
	case wanted == nil || wanted.ID == uuid.Nil:
		return wanted, nil
	case wanted.ID == actor.ID:
		return &actor, nil
	}
	member, err := s.q.StaffMember(ctx, tx, wanted.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoStaff
	}
	return &ticket.Person{ID: member.ID, Email: member.Email}, err
}

// AddNote notes something for staff; the same words of the same person, with no other note
// between them, are one note.
func (s *Store) AddNote(ctx context.Context, actor ticket.Person, id uuid.UUID, body ticket.Text) (note ticket.Note, err error) {
	err = s.asStaff(ctx, actor, func(ctx context.Context, tx pgx.Tx) error {
		r, err := s.q.LockTicket(ctx, tx, id)
		if err != nil {
			return err
		}
		now := s.now()
		last, err := s.q.LastNote(ctx, tx, id)
		if err == nil && last.AuthorID == actor.ID && last.Body == string(body) && now.Sub(last.CreatedAt) < sameAnswer {
			note = ticket.Note{ID: last.ID, AuthorEmail: last.AuthorEmail, Body: last.Body, CreatedAt: last.CreatedAt.UTC()}
			return nil
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		t := fromRow(row(r))
		note = ticket.Note{ID: uuid.New(), AuthorEmail: actor.Email, Body: string(body), CreatedAt: now}
		err = s.q.AddNote(ctx, tx, db.AddNoteParams{ID: note.ID, TicketID: id, AuthorID: actor.ID, AuthorEmail: actor.Email, Body: note.Body, CreatedAt: now})
		if err != nil {
			return err
		}
		if err := s.index(ctx, tx, maxInPassing, t); err != nil {
			return err
		}
		return staff.Record(ctx, tx, audit.Action{Name: Noted, Subject: t.ID.String(), Label: t.Label()})
	})
	return note, err
}

// Earlier returns the messages before the one with that id, oldest first, and whether there are
// more before those. Unless owner is uuid.Nil, the ticket must be theirs.
func (s *Store) Earlier(ctx context.Context, owner, id, before uuid.UUID) ([]ticket.Message, bool, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	t, err := s.q.GetTicket(ctx, s.pool, id)
	if err != nil {
		return nil, false, pg.Fault(err, ticket.ErrNotFound)
	}
	if owner != uuid.Nil && t.UserID != owner {
		return nil, false, ticket.ErrNotFound
	}
	rows, err := s.q.EarlierMessages(ctx, s.pool, db.EarlierMessagesParams{TicketID: id, Before: before, Most: MaxEarlier + 1})
	if err != nil {
		return nil, false, pg.Fault(err, nil)
	}
	more := len(rows) > MaxEarlier
	if more {
		rows = rows[:MaxEarlier]
	}
	messages := make([]ticket.Message, len(rows))
	for i, m := range rows {
		messages[i] = ticket.Message{ID: m.ID, Author: ticket.Author(m.Author), AuthorEmail: m.AuthorEmail, Body: m.Body, CreatedAt: m.CreatedAt.UTC()}
	}
	slices.Reverse(messages)
	return messages, more, nil
}

func (s *Store) notes(ctx context.Context, id uuid.UUID) ([]ticket.Note, error) {
	rows, err := s.q.LatestNotes(ctx, s.pool, db.LatestNotesParams{TicketID: id, Most: wholeThread})
	notes := make([]ticket.Note, len(rows))
	for i, n := range rows {
		notes[i] = ticket.Note{ID: n.ID, AuthorEmail: n.AuthorEmail, Body: n.Body, CreatedAt: n.CreatedAt.UTC()}
	}
	slices.Reverse(notes)
	return notes, pg.Fault(err, nil)
}

// SaveAnswer adds the canned answer if it has no id, or changes it.
func (s *Store) SaveAnswer(ctx context.Context, a ticket.CannedAnswer) (ticket.CannedAnswer, error) {
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if a.ID == uuid.Nil {
			a.ID = uuid.New()
			n, err := s.q.AddCannedAnswer(ctx, tx, db.AddCannedAnswerParams{ID: a.ID, Title: a.Title, Body: a.Body, Most: MaxAnswers})
			if err != nil {
				return taken(err)
			}
			if n == 0 {
				return errAnswers
			}
		} else if n, err := s.q.ChangeCannedAnswer(ctx, tx, db.ChangeCannedAnswerParams{ID: a.ID, Title: a.Title, Body: a.Body}); err != nil {
			return taken(err)
		} else if n == 0 {
			return errNoAnswer
		}
		return staff.Record(ctx, tx, audit.Action{Name: AnswerSaved, Subject: a.ID.String(), Label: a.Title})
	})
	return a, err
}

// DeleteAnswer deletes the canned answer, if it is there.
func (s *Store) DeleteAnswer(ctx context.Context, id uuid.UUID) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		title, err := s.q.DeleteCannedAnswer(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return staff.Record(ctx, tx, audit.Action{Name: AnswerDeleted, Subject: id.String(), Label: title})
	})
}

// taken tells a title that another answer has from other failures.
func taken(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.ConstraintName == "canned_answers_title_key" {
		return errTitle
	}
	return err
}
