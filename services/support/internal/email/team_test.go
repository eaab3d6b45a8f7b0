package email_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/ticket"
)

// TestTheTeamIsToldWithoutTheCustomersWords: what the customer wrote goes with their account, and
// the team's mailbox does not.
func TestTheTeamIsToldWithoutTheCustomersWords(t *testing.T) {
	id := uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8")
	opened := ticket.Ticket{
		ID: id, Number: 7, Version: 1, Customer: ticket.Person{Email: "ada@example.com"},
		Content: ticket.Content{Category: ticket.FeatureRequest, Priority: ticket.High, Subject: "Private subject", Message: "Private words"},
	}
	written := opened
	written.Version = 2
	for subject, told := range map[string]ticket.Ticket{"[TKT-000007] New ticket": opened, "[TKT-000007] New message from a customer": written} {
		m := compose(t, email.ForTeam(told, "team@fledge.example", "https://fledge.example"))
		if m.To != "team@fledge.example" || m.Subject != subject {
			t.Errorf("%s: %+v", subject, m)
		}
		for _, text := range []string{m.Text, m.HTML} {
			if !strings.Contains(text, "feature request, priority high") || !strings.Contains(text, id.String()) {
				t.Errorf("%s tells too little:\n%s", subject, text)
			}
			if strings.Contains(text, "rivate") || strings.Contains(text, "ada@") {
				t.Errorf("%s tells too much:\n%s", subject, text)
			}
		}
	}
}
