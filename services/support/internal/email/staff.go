package email

import (
	"fmt"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// maxListed is how many tickets one email names.
const maxListed = 50

// ForStaff tells a member of staff in which tickets customers wrote, at least one. Like ForTeam, it
// says nothing that they wrote.
func ForStaff(news []ticket.News, key, to, siteOrigin string) (mail.Message, error) {
	e := mail.Email{
		Subject: fmt.Sprintf("%d tickets wait for an answer", len(news)), Heading: "Customers wrote",
		Action: &mail.Action{Label: "Open the tickets", URL: siteOrigin + "/admin?tab=tickets&queue=waiting&sort=waiting"},
		Reason: "You get this email because you work on the support tickets of " + brand.Name + ". In the dashboard, under Tickets, you choose how often.",
	}
	for _, n := range news[:min(len(news), maxListed)] {
		e.Paragraphs = append(e.Paragraphs, sentence(n.Ticket, n.Opened))
	}
	if more := len(news) - maxListed; more > 0 {
		e.Paragraphs = append(e.Paragraphs, fmt.Sprintf("And %d more.", more))
	}
	if len(news) == 1 {
		e.Subject, e.Heading = about(news[0].Ticket, news[0].Opened)
		e.Action = openTicket(news[0].Ticket, siteOrigin)
	}
	e.Preview = e.Paragraphs[0]
	return e.Compose(key, to)
}
