package email_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/mail"
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

// TestADigestNamesTheTickets, the first fifty of many.
func TestADigestNamesTheTickets(t *testing.T) {
	digest := func(n int) mail.Message {
		var news []ticket.News
		for number := range n {
			of := ticket.Ticket{Number: int64(number) + 1, Content: ticket.Content{Category: ticket.TechnicalSupport, Priority: ticket.Urgent, Subject: "Private subject"}}
			news = append(news, ticket.News{Ticket: of, Opened: number == 0})
		}
		return compose(t, email.ForStaff(news, "news", "mod@fledge.example", "https://fledge.example"))
	}
	for _, c := range []struct {
		n         int
		says, not []string
	}{
		{2, []string{"TKT-000001 (technical support, priority urgent), new", "TKT-000002 (technical support, priority urgent)\n"}, []string{"more.", "TKT-000002 (technical support, priority urgent), new"}},
		{50, []string{"TKT-000050"}, []string{"more."}},
		{52, []string{"TKT-000001", "TKT-000050", "And 2 more."}, []string{"TKT-000051"}},
	} {
		m := digest(c.n)
		if want := fmt.Sprintf("%d tickets wait for an answer", c.n); m.Subject != want || m.To != "mod@fledge.example" {
			t.Errorf("%q to %s, want %q", m.Subject, m.To, want)
		}
		for _, want := range append(c.says, "https://fledge.example/admin?tab=tickets&queue=waiting&sort=waiting") {
			if !strings.Contains(m.Text, want) {
				t.Errorf("of %d tickets it lacks %q:\n%s", c.n, want, m.Text)
			}
		}
		for _, word := range append(c.not, "rivate") {
			if strings.Contains(m.Text, word) {
				t.Errorf("of %d tickets it has %q:\n%s", c.n, word, m.Text)
			}
		}
	}
}
