package email

import (
	"fmt"
	"strconv"
	"strings"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

// maxListed is how many tickets one email names.
const maxListed = 50

// ForStaff tells a member of staff in which tickets customers wrote, at least one. Like ForTeam, it
// says nothing that they wrote.
func ForStaff(all []ticket.News, key, to, siteOrigin string) mail.Email {
	if len(all) == 1 {
		template := "staff_wrote"
		if all[0].Opened {
			template = "staff_opened"
		}
		return news(all[0].Ticket, template, key, to, siteOrigin)
	}
	var tickets []string
	for _, n := range all[:min(len(all), maxListed)] {
		line := fmt.Sprintf("%s (%s, priority %s)", n.Ticket.Label(), n.Ticket.Category.Words(), n.Ticket.Priority)
		if n.Opened {
			line += ", new"
		}
		tickets = append(tickets, line)
	}
	if more := len(all) - maxListed; more > 0 {
		tickets = append(tickets, fmt.Sprintf("And %d more.", more))
	}
	return mail.Email{
		Template: "staff_news", Key: key, To: to,
		// Each is a paragraph.
		Values: map[string]string{"Count": strconv.Itoa(len(all)), "Tickets": strings.Join(tickets, "\n\n")},
		Action: siteOrigin + "/admin?tab=tickets&queue=waiting&sort=waiting",
	}
}
