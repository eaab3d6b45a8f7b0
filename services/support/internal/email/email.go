// Package email has the emails to customers: a receipt for each ticket, and an email
// for each answer and each ticket that was resolved. The emails of one ticket are one
// conversation in the customer's mail program.
package email

import (
	"fmt"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// maxSubject is for the ticket's label and subject. It leaves room for "Re: " in mail's own limit, in bytes.
const maxSubject = 190

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

// ToCustomers names the templates of the emails that customers get and may answer.
func ToCustomers() []string { return []string{"received", "opened", "answered", "resolved"} }

// Receipt tells the customer that the ticket has arrived.
func Receipt(t ticket.Ticket, c Config) mail.Email {
	e := about(t, c)
	e.Template, e.Key, e.Quote, e.Followed = "received", RootKey(t), string(t.Message), true
	return e
}

// OpenedFor tells the customer that staff has opened the ticket for them. It is the ticket's receipt.
func OpenedFor(t ticket.Ticket, c Config) mail.Email {
	e := Receipt(t, c)
	e.Template = "opened"
	return e
}

// ForStep tells the customer about an answer of staff or a ticket that became resolved;
// ok is false for any other step.
func ForStep(s ticket.Step, c Config) (_ mail.Email, ok bool) {
	resolved := s.StatusChanged() && s.Ticket.Status == ticket.Resolved
	if s.By != ticket.Staff || (s.Body == "" && !resolved) {
		return mail.Email{}, false
	}
	e := about(s.Ticket, c)
	e.Template, e.Key, e.Quote, e.Follows = "answered", fmt.Sprintf("ticket/%s/%d", s.Ticket.ID, s.Ticket.Version), string(s.Body), RootKey(s.Ticket)
	e.Values["ByEmail"], e.Values["Closed"] = flag(e.ReplyTo != ""), flag(s.Ticket.Status == ticket.Closed)
	if resolved {
		e.Template, e.Values["Answered"] = "resolved", flag(s.Body != "")
	}
	return e, true
}

// flag is a value that a template asks for: {{if .ByEmail}}.
func flag(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}

// RootKey names the receipt, which the other emails of the ticket follow.
func RootKey(t ticket.Ticket) string { return fmt.Sprintf("ticket/%s/1", t.ID) }

// about is what all emails about a ticket share.
func about(t ticket.Ticket, c Config) mail.Email {
	return mail.Email{
		To: t.Customer.Email, ReplyTo: c.replyTo(t), Values: map[string]string{"Ticket": t.Label(), "Subject": subject(t)},
		// /profile would send people who are signed out to the landing page.
		Action: c.SiteOrigin + "/signin",
	}
}

// subject is the same for all emails of a ticket, which mail programs thread by.
func subject(t ticket.Ticket) string {
	if t.Subject == "" {
		return "Your message to " + brand.Name
	}
	return mail.Cut(t.Subject, maxSubject-len("["+t.Label()+"] "))
}
