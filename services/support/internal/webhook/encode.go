package webhook

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/ticket"
)

// event is the JSON format.
type event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Ticket    subject   `json:"ticket"`
}

type subject struct {
	ID       string          `json:"id"`
	Number   string          `json:"number"`
	Subject  string          `json:"subject"`
	Category ticket.Category `json:"category"`
	Priority ticket.Priority `json:"priority"`
	URL      string          `json:"url"`
}

func encode(format string, call Call, site string) (string, error) {
	t := call.Ticket
	link := email.TicketURL(t, site)
	var value any = event{ID: call.ID.String(), Type: call.Type, CreatedAt: call.CreatedAt.UTC(), Ticket: subject{t.ID.String(), t.Label(), t.Subject, t.Category, t.Priority, link}}
	if format == Slack {
		what := "New message in"
		if call.Type == Opened {
			what = "New ticket"
		}
		text := fmt.Sprintf("%s <%s|%s>", what, link, t.Label())
		if t.Subject != "" {
			text += ": " + slackText.Replace(t.Subject)
		}
		value = map[string]any{"text": fmt.Sprintf("%s (%s, priority %s)", text, t.Category.Words(), t.Priority), "unfurl_links": false, "unfurl_media": false}
	}
	body, err := json.Marshal(value)
	return string(body), err
}

// slackText keeps a subject from being a link or a mention of everybody, as Slack's docs ask.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
