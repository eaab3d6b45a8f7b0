package email

import (
	"fmt"
	"strings"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// ForTeam tells the team that a customer opened the ticket or, if it was answered before, wrote
// again. It says nothing that the customer wrote: that is in the dashboard, and goes with the
// customer's account.
func ForTeam(t ticket.Ticket, to, siteOrigin string) (mail.Message, error) {
	opened := t.Version == 1
	e := mail.Email{
		Paragraphs: []string{sentence(t, opened)},
		Action:     openTicket(t, siteOrigin),
		Reason:     "You get this email because this address is told of the support tickets of " + brand.Name + ".",
	}
	e.Subject, e.Heading = about(t, opened)
	e.Preview = e.Paragraphs[0]
	return e.Compose(fmt.Sprintf("team/%s/%d", t.ID, t.Version), to)
}

func about(t ticket.Ticket, opened bool) (subject, heading string) {
	if opened {
		return "[" + t.Label() + "] New ticket", "A new ticket"
	}
	return "[" + t.Label() + "] New message from a customer", "A customer wrote"
}

func sentence(t ticket.Ticket, opened bool) string {
	format := "A customer wrote in the ticket %s (%s, priority %s)."
	if opened {
		format = "A customer opened the ticket %s (%s, priority %s)."
	}
	return fmt.Sprintf(format, t.Label(), strings.ReplaceAll(string(t.Category), "_", " "), t.Priority)
}

func openTicket(t ticket.Ticket, siteOrigin string) *mail.Action {
	return &mail.Action{Label: "Open the ticket", URL: TicketURL(t, siteOrigin)}
}

// TicketURL is where staff open the ticket in the dashboard.
func TicketURL(t ticket.Ticket, siteOrigin string) string {
	return siteOrigin + "/admin?tab=tickets&ticket=" + t.ID.String()
}
