// Package email has the emails to customers: a receipt for each ticket, and an email
// for each answer and each ticket that was resolved. The emails of one ticket are one
// conversation in the customer's mail program.
package email

import (
	"fmt"
	"unicode/utf8"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// maxSubject leaves room for "Re: " in mail's own limit, in bytes.
const maxSubject = 190

// The headings of the emails, by which they are recognised in answers that quote them.
const (
	HeadingReceived = "We got your message"
	HeadingOpened   = "We opened a ticket for you"
	HeadingAnswered = "We answered your ticket"
	HeadingResolved = "Your ticket is resolved"
)

// Config says where the emails lead their readers.
type Config struct {
	SiteOrigin string
	// ReplyTo is the address to which answers become messages of the ticket, or "".
	ReplyTo func(ticket.Ticket) string
}

// replyTo is "" where nobody reads answers.
func (c Config) replyTo(t ticket.Ticket) string {
	if c.ReplyTo == nil {
		return ""
	}
	return c.ReplyTo(t)
}

// Receipt tells the customer that the ticket has arrived.
func Receipt(t ticket.Ticket, c Config) (mail.Message, error) {
	e := base(t, c)
	e.Heading = HeadingReceived
	e.Preview = "Your ticket is " + t.Label() + "."
	e.Paragraphs = []string{"Thank you for writing to us. Your ticket is " + t.Label() + ", and we will reply by email. You wrote:"}
	e.Quote = string(t.Message)
	m, err := e.Compose(RootKey(t), t.Customer.Email)
	m.Followed, m.ReplyTo = true, c.replyTo(t)
	return m, err
}

// OpenedFor tells the customer that staff has opened the ticket for them. It is the ticket's receipt.
func OpenedFor(t ticket.Ticket, c Config) (mail.Message, error) {
	e := base(t, c)
	e.Heading = HeadingOpened
	e.Preview = "Your ticket is " + t.Label() + "."
	e.Paragraphs = []string{"Our team opened the ticket " + t.Label() + " for you, and we will reply by email. It says:"}
	e.Quote = string(t.Message)
	e.Reason = "You get this email because our team opened a support ticket for you at " + brand.Name + "."
	m, err := e.Compose(RootKey(t), t.Customer.Email)
	m.Followed, m.ReplyTo = true, c.replyTo(t)
	return m, err
}

// ForStep tells the customer about an answer of staff or a ticket that became resolved;
// ok is false for any other step.
func ForStep(s ticket.Step, c Config) (_ mail.Message, ok bool, err error) {
	resolved := s.StatusChanged() && s.Ticket.Status == ticket.Resolved
	if s.By != ticket.Staff || (s.Body == "" && !resolved) {
		return mail.Message{}, false, nil
	}
	e := base(s.Ticket, c)
	e.Subject = "Re: " + e.Subject
	e.Quote = string(s.Body)
	reply, please := "reply in your profile", "Please answer in your profile."
	if c.replyTo(s.Ticket) != "" {
		reply, please = "reply to this email or in your profile", "You can reply to this email, or answer in your profile."
	}
	switch {
	case resolved && s.Body != "":
		e.Heading = HeadingResolved
		e.Paragraphs = []string{"We resolved your ticket " + s.Ticket.Label() + ". If anything is still unresolved, " + reply + ". Our team wrote:"}
	case resolved:
		e.Heading = HeadingResolved
		e.Paragraphs = []string{"We resolved your ticket " + s.Ticket.Label() + ". If anything is still unresolved, " + reply + " and we will look at it again."}
	default:
		e.Heading = HeadingAnswered
		e.Paragraphs = []string{"Our team answered your ticket " + s.Ticket.Label() + ". " + please + " They wrote:"}
	}
	m, err := e.Compose(fmt.Sprintf("ticket/%s/%d", s.Ticket.ID, s.Ticket.Version), s.Ticket.Customer.Email)
	m.Follows, m.ReplyTo = RootKey(s.Ticket), c.replyTo(s.Ticket)
	return m, err == nil, err
}

// RootKey names the receipt, which the other emails of the ticket follow.
func RootKey(t ticket.Ticket) string { return fmt.Sprintf("ticket/%s/1", t.ID) }

func base(t ticket.Ticket, c Config) mail.Email {
	return mail.Email{
		Subject: subject(t),
		// /profile would send people who are signed out to the landing page.
		Action: &mail.Action{Label: "Open your tickets", URL: c.SiteOrigin + "/signin"},
		Reason: "You get this email because you opened a support ticket at " + brand.Name + ".",
	}
}

// subject is the same for all emails of a ticket, which mail programs thread by.
func subject(t ticket.Ticket) string {
	line := "[" + t.Label() + "] " + t.Subject
	if t.Subject == "" {
		line += "Your message to " + brand.Name
	}
	if len(line) <= maxSubject {
		return line
	}
	cut := maxSubject - len("…")
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "…"
}
