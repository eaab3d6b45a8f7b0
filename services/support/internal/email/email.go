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

// Receipt tells the customer that the ticket has arrived.
func Receipt(t ticket.Ticket, siteOrigin string) (mail.Message, error) {
	e := base(t, siteOrigin)
	e.Heading = "We got your message"
	e.Preview = "Your ticket is " + t.Label() + "."
	e.Paragraphs = []string{"Thank you for writing to us. Your ticket is " + t.Label() + ", and we will reply by email. You wrote:"}
	e.Quote = string(t.Message)
	m, err := e.Compose(rootKey(t), t.Customer.Email)
	m.Followed = true
	return m, err
}

// ForStep tells the customer about an answer of staff or a ticket that became resolved;
// ok is false for any other step.
func ForStep(s ticket.Step, siteOrigin string) (_ mail.Message, ok bool, err error) {
	resolved := s.StatusChanged() && s.Ticket.Status == ticket.Resolved
	if s.By != ticket.Staff || (s.Body == "" && !resolved) {
		return mail.Message{}, false, nil
	}
	e := base(s.Ticket, siteOrigin)
	e.Subject = "Re: " + e.Subject
	e.Quote = string(s.Body)
	switch {
	case resolved && s.Body != "":
		e.Heading = "Your ticket is resolved"
		e.Paragraphs = []string{"We resolved your ticket " + s.Ticket.Label() + ". If anything is still unresolved, reply in your profile. Our team wrote:"}
	case resolved:
		e.Heading = "Your ticket is resolved"
		e.Paragraphs = []string{"We resolved your ticket " + s.Ticket.Label() + ". If anything is still unresolved, reply in your profile and we will look at it again."}
	default:
		e.Heading = "We answered your ticket"
		e.Paragraphs = []string{"Our team answered your ticket " + s.Ticket.Label() + ". Please answer in your profile. They wrote:"}
	}
	m, err := e.Compose(fmt.Sprintf("ticket/%s/%d", s.Ticket.ID, s.Ticket.Version), s.Ticket.Customer.Email)
	m.Follows = rootKey(s.Ticket)
	return m, err == nil, err
}

// rootKey names the email that the others of the ticket follow.
func rootKey(t ticket.Ticket) string { return fmt.Sprintf("ticket/%s/1", t.ID) }

func base(t ticket.Ticket, siteOrigin string) mail.Email {
	return mail.Email{
		Subject: subject(t),
		// /profile would send people who are signed out to the landing page.
		Action: &mail.Action{Label: "Open your tickets", URL: siteOrigin + "/signin"},
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
