// Package mailbox takes the mails that arrive for the support team from their mailbox: answers
// become messages of their tickets, and other mails of customers become tickets. The README of the
// service has the rules in a table.
package mailbox

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/inmail"
	"fledge.dev/services/support/internal/ticket"
)

// Outcome is what became of a mail, and a label.
type Outcome string

// The outcomes.
const (
	// Added is a message of a ticket, Opened a new ticket.
	Added  Outcome = "added"
	Opened Outcome = "opened"
	// Known is a mail that was taken before.
	Known Outcome = "known"
	// These are kept beside those that were taken: no person waits for an answer.
	// Bounced is a report that the address of a ticket's customer takes no mails.
	Bounced Outcome = "bounced"
	Own     Outcome = "own"
	// Notice is a report of a delay or a success, or that a mail was read.
	Notice     Outcome = "notice"
	AutoAnswer Outcome = "auto_answer"
	// The others are for people to look at.
	// Undelivered is another report of a mail that was given up, or a complaint about one.
	Undelivered Outcome = "undelivered"
	Bulk        Outcome = "bulk"
	Unreadable  Outcome = "unreadable"
	TooLarge    Outcome = "too_large"
	Forged      Outcome = "forged"
	Stranger    Outcome = "stranger"
	TooMany     Outcome = "too_many"
	Failed      Outcome = "failed"
)

var outcomes = []Outcome{Added, Opened, Known, Bounced, Own, Notice, AutoAnswer, Undelivered, Bulk, Unreadable, TooLarge, Forged, Stranger, TooMany, Failed}

// forPeople reports whether nobody has been told by the mail yet.
func (o Outcome) forPeople() bool {
	return !slices.Contains([]Outcome{Added, Opened, Known, Bounced, Own, Notice, AutoAnswer}, o)
}

// Tickets is the store.
type Tickets interface {
	TicketByNumber(ctx context.Context, number int64) (ticket.Ticket, error)
	TicketsOfAddress(ctx context.Context, address string) ([]ticket.Ticket, error)
	HasMail(ctx context.Context, customer ticket.Person, key string) (bool, error)
	Create(ctx context.Context, customer ticket.Person, content ticket.Content, key string) (ticket.Ticket, bool, error)
	Reply(ctx context.Context, customer ticket.Person, id uuid.UUID, body ticket.Text, key string) (ticket.Ticket, bool, error)
}

// Accounts knows whose account in use has an address; *identityclient.Client does.
type Accounts interface {
	AccountAt(ctx context.Context, email string) (id uuid.UUID, address string, ok bool, err error)
}

// Reports takes what is known of addresses; mail.Queue.Reports does.
type Reports interface {
	Report(ctx context.Context, req *mailv1.ReportRequest) (*mailv1.ReportResponse, error)
}

// receiver applies the rules.
type receiver struct {
	tickets  Tickets
	accounts Accounts
	reports  Reports
	now      func() time.Time
	reply    ReplyAddress
	// hosts are whose Authentication-Results are trusted.
	hosts []string
	// own are our addresses, as spelled makes them.
	own []string
	// openings match how our mails to customers begin.
	openings []*regexp.Regexp
	// conversation returns the Message-IDs that only the mails of a ticket have.
	conversation func(t ticket.Ticket) []string
}

// receive does with a mail what the rules say. An error means that it has to be tried again.
func (r *receiver) receive(ctx context.Context, source []byte) (Outcome, error) {
	number, signed := int64(0), false
	m, err := inmail.Parse(source, r.openings, func(to []string) bool {
		number, signed = r.reply.ticketOf(to)
		return signed
	})
	switch {
	case m.Machine == inmail.Bounce && m.Failure != nil:
		return r.bounced(ctx, *m.Failure)
	case m.Machine == inmail.Bounce:
		return Undelivered, nil
	case m.Machine == inmail.Notice:
		return Notice, nil
	case m.Machine == inmail.AutoAnswer:
		return AutoAnswer, nil
	case slices.Contains(r.own, spelled(m.From)) && m.Machine != inmail.Listed: // a group may put its address in the sender's place
		return Own, nil
	case m.Machine == inmail.BulkMail, m.Machine == inmail.Listed && !signed:
		return Bulk, nil
	case err != nil:
		return Unreadable, nil //nolint:nilerr // which is for people to look at
	}
	if signed {
		t, err := r.tickets.TicketByNumber(ctx, number)
		if err == nil {
			return r.take(ctx, m, t.Customer, &t)
		}
		if !errors.Is(err, fault.NotFound) {
			return "", err
		}
	}
	if !m.Authentic(r.hosts) {
		return Forged, nil
	}
	from, err := address.Parse(m.From)
	if err != nil {
		return Stranger, nil //nolint:nilerr // no customer has such an address
	}
	theirs, err := r.tickets.TicketsOfAddress(ctx, from)
	if err != nil {
		return "", err
	}
	if len(theirs) == 0 {
		return r.first(ctx, m, from)
	}
	for _, t := range theirs {
		if slices.ContainsFunc(r.conversation(t), func(id string) bool { return slices.Contains(m.Follows, id) }) {
			return r.take(ctx, m, t.Customer, &t)
		}
	}
	return r.take(ctx, m, theirs[0].Customer, nil)
}

// bounced believes a report, which anybody can write, only if it quotes a mail that we sent to the
// very recipient: the Message-IDs of a ticket are known to the servers on the way, and to whom the
// customer has forwarded a mail.
func (r *receiver) bounced(ctx context.Context, f inmail.Failure) (Outcome, error) {
	recipient, err := address.Parse(f.Recipient)
	if err != nil || !mail.Bounces(f.Status, f.Words) {
		return Undelivered, nil //nolint:nilerr // no customer has such an address
	}
	theirs, err := r.tickets.TicketsOfAddress(ctx, recipient)
	if err != nil {
		return "", err
	}
	for _, t := range theirs {
		if !slices.ContainsFunc(r.conversation(t), func(id string) bool { return slices.Contains(f.Mail, id) }) {
			continue
		}
		_, err := r.reports.Report(ctx, &mailv1.ReportRequest{Events: []*mailv1.Event{{
			Id: "report:" + f.ID, Address: t.Customer.Email, Kind: mailv1.Kind_KIND_BOUNCED, Reason: f.Status, At: timestamppb.New(r.now()),
		}}})
		return outcomeOf(Bounced, err)
	}
	return Undelivered, nil
}

// first opens the first ticket from an address, where it is an account's.
func (r *receiver) first(ctx context.Context, m inmail.Mail, from string) (Outcome, error) {
	id, from, ok, err := r.accounts.AccountAt(ctx, from)
	if err != nil {
		return "", err
	}
	if !ok {
		return Stranger, nil
	}
	return r.take(ctx, m, ticket.Person{ID: id, Email: from}, nil)
}

// take adds the mail to the ticket, or opens one if there is none or it is closed.
func (r *receiver) take(ctx context.Context, m inmail.Mail, customer ticket.Person, t *ticket.Ticket) (Outcome, error) {
	key := "mail:" + m.ID
	known, err := r.tickets.HasMail(ctx, customer, key)
	if err != nil || known {
		return Known, err
	}
	text := textOf(m, customer)
	if t != nil {
		_, _, err := r.tickets.Reply(ctx, customer, t.ID, text, key)
		if !errors.Is(err, ticket.ErrClosed) {
			return outcomeOf(Added, err)
		}
		text = ticket.Text(inmail.Cut("About "+t.Label()+", which is closed:\n\n"+string(text), maxText, cutMark))
	}
	_, _, err = r.tickets.Create(ctx, customer, ticket.Content{
		Category: ticket.Other, Priority: ticket.Medium, Subject: inmail.Line(m.Subject, maxSubject), Message: text,
	}, key)
	return outcomeOf(Opened, err)
}

// outcomeOf has people look at what the store refuses, and a mail for which the database is not
// there tried again.
func outcomeOf(done Outcome, err error) (Outcome, error) {
	switch {
	case err == nil:
		return done, nil
	case errors.Is(err, fault.RateLimited):
		return TooMany, nil
	case errors.Is(err, fault.Unavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "", err
	}
	return Failed, nil
}

const (
	maxText    = 10_000
	maxSubject = 200
	cutMark    = "\n\n[The rest of the mail is in the mailbox.]"
)

// textOf is the message that a mail becomes. Who wrote it is said if it was not the customer's own
// address: whoever has the signed one may answer.
func textOf(m inmail.Mail, customer ticket.Person) ticket.Text {
	text := m.Text
	if text == "" {
		text = "[The mail has no text.]"
	}
	if _, same := address.Same(m.From, customer.Email); !same {
		text = "[Sent from " + m.From + "]\n\n" + text
	}
	if m.More {
		text = inmail.Cut(text, maxText-attachmentRoom-utf8.RuneCountInString(cutMark), "") + cutMark
	} else {
		text = inmail.Cut(text, maxText-attachmentRoom, cutMark)
	}
	if len(m.Attachments) > 0 {
		list := inmail.Cut(strings.Join(m.Attachments, ", "), attachmentRoom/2, "…")
		text += "\n\n[In the mailbox, attached to the mail: " + list + "]"
	}
	return ticket.Text(text)
}

// attachmentRoom is what the names of attachments may take, in characters.
const attachmentRoom = 1_000
