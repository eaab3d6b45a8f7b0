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
	e := mail.Email{
		Subject:    "[" + t.Label() + "] New message from a customer",
		Heading:    "A customer wrote",
		Paragraphs: []string{fmt.Sprintf("A customer wrote in the ticket %s (%s, priority %s).", t.Label(), spaced(string(t.Category)), t.Priority)},
		Action:     &mail.Action{Label: "Open the ticket", URL: siteOrigin + "/admin?tab=tickets&ticket=" + t.ID.String()},
		Reason:     "You get this email because this address is told of the support tickets of " + brand.Name + ".",
	}
	if t.Version == 1 {
		e.Subject, e.Heading = "["+t.Label()+"] New ticket", "A new ticket"
		e.Paragraphs = []string{fmt.Sprintf("A customer opened the ticket %s (%s, priority %s).", t.Label(), spaced(string(t.Category)), t.Priority)}
	}
	e.Preview = e.Paragraphs[0]
	return e.Compose(fmt.Sprintf("team/%s/%d", t.ID, t.Version), to)
}

func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }
