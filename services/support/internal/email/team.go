package email

import (
	"fmt"
	"strings"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// ForTeam tells the team that a customer opened the ticket or, if it was answered before, wrote
// again. It says nothing that the customer wrote: that is in the dashboard, and goes with the
// customer's account.
func ForTeam(t ticket.Ticket, to, siteOrigin string) mail.Email {
	e := mail.Email{
		Template: "team_wrote", Key: fmt.Sprintf("team/%s/%d", t.ID, t.Version), To: to,
		Values: map[string]string{"Ticket": t.Label(), "Category": spaced(string(t.Category)), "Priority": string(t.Priority)},
		Action: siteOrigin + "/admin?tab=tickets&ticket=" + t.ID.String(),
	}
	if t.Version == 1 {
		e.Template = "team_opened"
	}
	return e
}

func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }
