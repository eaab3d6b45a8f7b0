package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

var errKeyReused = fault.New(fault.Conflict, "idempotency_key_reused", "This request was already sent with different content.")

// Create opens a ticket and reports whether it is new: the same key for the same
// content answers the ticket that it has opened before, as it is now.
func (s *Store) Create(ctx context.Context, customer ticket.Person, content ticket.Content, key string) (t ticket.Ticket, isNew bool, err error) {
	return s.create(ctx, customer, customer, content, key)
}

// CreateFor opens a ticket for a customer, once for each customer and key of the actor's. It does not count
// towards the customer's hourly limit.
func (s *Store) CreateFor(ctx context.Context, actor, customer ticket.Person, content ticket.Content, key string) (t ticket.Ticket, isNew bool, err error) {
	// Hashed, so that it cannot be mistaken for one of the customer's own keys.
	of := sha256.Sum256([]byte(actor.ID.String() + key))
	return s.create(ctx, actor, customer, content, "staff "+hex.EncodeToString(of[:]))
}

func (s *Store) create(ctx context.Context, by, customer ticket.Person, content ticket.Content, key string) (t ticket.Ticket, isNew bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if by.ID != customer.ID {
			if err := s.meet(ctx, tx, by); err != nil {
				return err
			}
		}
		if err := s.lockPerson(ctx, tx, customer.ID); err != nil {
			return err
		}
		known, err := s.q.TicketByKey(ctx, tx, db.TicketByKeyParams{UserID: customer.ID, IdempotencyKey: key})
		switch {
		case err == nil:
			t, err = s.repeated(ctx, tx, known.ID, known.Fingerprint, content.Fingerprint())
			return err
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		now := s.now()
		if by.ID == customer.ID {
			if err := s.allowTicket(ctx, tx, customer.ID, now); err != nil {
				return err
			}
		}
		t = ticket.Ticket{ID: uuid.New(), Customer: customer, Content: content, Status: ticket.Open, CreatedAt: now, UpdatedAt: now, Version: 1,
			StaffFields: ticket.StaffFields{LastMessageAt: now, LastMessageBy: ticket.Customer, WaitingSince: now}}
		isNew = true
		return s.insert(ctx, tx, &t, by, key)
	})
	return t, isNew && err == nil, err
}

// insert writes the ticket, which gets its number, with all that goes with it.
func (s *Store) insert(ctx context.Context, tx pgx.Tx, t *ticket.Ticket, by ticket.Person, key string) (err error) {
	// What the customer has sent, whatever their plan makes of it.
	fingerprint := t.Fingerprint()
	from, err := s.raise(ctx, tx, t)
	if err != nil {
		return err
	}
	t.Number, err = s.q.CreateTicket(ctx, tx, db.CreateTicketParams{
		ID: t.ID, UserID: t.Customer.ID, UserEmail: t.Customer.Email, Category: string(t.Category), Priority: string(t.Priority),
		Status: string(t.Status), Subject: t.Subject, Message: string(t.Message), AppVersion: t.AppVersion, OperatingSystem: t.OperatingSystem,
		CreatedAt: t.CreatedAt, IdempotencyKey: key, Fingerprint: fingerprint, RaisedFrom: string(from),
	})
	if err != nil {
		return err
	}
	if err := s.index(ctx, tx, maxInPassing, *t); err != nil {
		return err
	}
	compose := email.Receipt
	if by.ID != t.Customer.ID {
		compose = email.OpenedFor
		if err := s.openedByStaff(ctx, tx, *t, by); err != nil {
			return err
		}
	}
	if err := s.emails.Enqueue(ctx, tx, compose(*t, s.cfg.Email)); err != nil {
		return err
	}
	return s.tellStaff(ctx, tx, *t, by.ID)
}

func (s *Store) openedByStaff(ctx context.Context, tx pgx.Tx, t ticket.Ticket, actor ticket.Person) error {
	if err := s.addChanges(ctx, tx, t, actor, []ticket.Change{{Field: "opened", To: string(ticket.Staff)}}); err != nil {
		return err
	}
	return staff.Record(ctx, tx, audit.Action{Name: Opened, Subject: t.ID.String(), Label: t.Label()})
}

// repeated answers a request whose key was used before.
func (s *Store) repeated(ctx context.Context, tx pgx.Tx, id uuid.UUID, stored, sent []byte) (ticket.Ticket, error) {
	if !bytes.Equal(stored, sent) {
		return ticket.Ticket{}, errKeyReused
	}
	r, err := s.q.GetTicket(ctx, tx, id)
	return fromRow(r), err
}

// allowTicket fails once the person has opened the hour's number. The person's
// lock is held, so nobody can slip through beside another request.
func (s *Store) allowTicket(ctx context.Context, tx pgx.Tx, person uuid.UUID, now time.Time) error {
	nth, err := s.q.NthTicketSince(ctx, tx, db.NthTicketSinceParams{UserID: person, Since: now.Add(-time.Hour), N: int32(s.cfg.TicketsPerHour)})
	return within(nth, err, now, "too_many_tickets", "You have opened many tickets. Please wait before you open another one.")
}

func (s *Store) allowReply(ctx context.Context, tx pgx.Tx, person uuid.UUID, now time.Time) error {
	nth, err := s.q.NthMessageSince(ctx, tx, db.NthMessageSinceParams{AuthorID: person, Since: now.Add(-time.Hour), N: int32(s.cfg.RepliesPerHour)})
	return within(nth, err, now, "too_many_messages", "You have written many messages. Please wait before you write another one.")
}

// within turns the time of the hour's last allowed act, if there is one, into a
// refusal.
func within(nth time.Time, err error, now time.Time, reason, message string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fault.New(fault.RateLimited, reason, message).RetryAfter(nth.Add(time.Hour).Sub(now))
}
