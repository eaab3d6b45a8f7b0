package email

import (
	"fmt"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// ForTeam tells the team that the ticket was opened or, if it is older, that its customer wrote
// again. It says nothing that the customer wrote: that is in the dashboard, and goes with the
// customer's account.
func ForTeam(t ticket.Ticket, to, siteOrigin string) mail.Email {
	template := "team_wrote"
	if t.Version == 1 {
		template = "team_opened"
	}
	return news(t, template, fmt.Sprintf("team/%s/%d", t.ID, t.Version), to, siteOrigin)
}

func news(t ticket.Ticket, template, key, to, siteOrigin string) mail.Email {
	return mail.Email{
		Template: template, Key: key, To: to,
		Values: map[string]string{"Ticket": t.Label(), "Category": t.Category.Words(), "Priority": string(t.Priority)},
		Action: TicketURL(t, siteOrigin),
	}
}

// TicketURL is where staff open the ticket in the dashboard.
func TicketURL(t ticket.Ticket, siteOrigin string) string {
	return siteOrigin + "/admin?tab=tickets&ticket=" + t.ID.String()
}
