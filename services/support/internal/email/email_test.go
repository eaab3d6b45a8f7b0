package email_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/ticket"
)

func aTicket(subject string) ticket.Ticket {
	return ticket.Ticket{
		ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Number: 123, Customer: ticket.Person{Email: "ada@example.com"},
		Content: ticket.Content{Subject: subject, Message: "help"}, Status: ticket.Open, Version: 1,
	}
}

// compose writes an email in the built-in words.
func compose(t *testing.T, e mail.Email) mail.Message {
	t.Helper()
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	errtest.None(t, err)
	m, err := templates.Compose(e)
	errtest.None(t, err)
	return m
}

func TestSubjectsFitAHeader(t *testing.T) {
	for subject, want := range map[string]string{
		"":                       "[TKT-000123] Your message to Fledge",
		"Broken":                 "[TKT-000123] Broken",
		strings.Repeat("日", 200): "[TKT-000123] " + strings.Repeat("日", 58) + "…",
		strings.Repeat("x", 200): "[TKT-000123] " + strings.Repeat("x", 174) + "…",
	} {
		receipt := compose(t, email.Receipt(aTicket(subject), email.Config{SiteOrigin: "https://fledge.example"}))
		if receipt.Subject != want || !utf8.ValidString(receipt.Subject) {
			t.Errorf("%.20q: %q", subject, receipt.Subject)
		}
		step := ticket.Step{Ticket: aTicket(subject), Before: ticket.Open, By: ticket.Staff, Body: "x"}
		told, ok := email.ForStep(step, email.Config{SiteOrigin: "https://fledge.example"})
		if answer := compose(t, told); !ok || answer.Subject != "Re: "+want || answer.Follows != receipt.Key || answer.To != "ada@example.com" {
			t.Errorf("%.20q: %+v, %t", subject, answer, ok)
		}
	}
}

func TestEachChangeHasItsOwnEmail(t *testing.T) {
	keys := map[string]bool{}
	for version := int64(2); version < 5; version++ {
		made := aTicket("s")
		made.Version = version
		m, ok := email.ForStep(ticket.Step{Ticket: made, Before: ticket.Open, By: ticket.Staff, Body: "x"}, email.Config{SiteOrigin: "https://fledge.example"})
		if !ok || keys[m.Key] {
			t.Errorf("version %d: key %q, %t", version, m.Key, ok)
		}
		keys[m.Key] = true
	}
}

func TestWhatIsNotWorthAnEmail(t *testing.T) {
	resolved := aTicket("s")
	resolved.Status = ticket.Resolved
	for name, step := range map[string]ticket.Step{
		"the customer's own words": {Ticket: aTicket("s"), Before: ticket.Resolved, By: ticket.Customer, Body: "x"},
		"work begins":              {Ticket: aTicket("s"), Before: ticket.Closed, By: ticket.Staff},
		"resolved as before":       {Ticket: resolved, Before: ticket.Resolved, By: ticket.Staff},
	} {
		if m, ok := email.ForStep(step, email.Config{SiteOrigin: "https://fledge.example"}); ok {
			t.Errorf("%s: %q", name, m.Template)
		}
	}
}

// TestAnswersSayWhatTheCustomerCanDoNext: a closed ticket takes no answer.
func TestAnswersSayWhatTheCustomerCanDoNext(t *testing.T) {
	byEmail := email.Config{SiteOrigin: "https://fledge.example", ReplyTo: func(ticket.Ticket) string { return "reply+123.x@fledge.example" }}
	inProfile := email.Config{SiteOrigin: "https://fledge.example"}
	for _, tt := range []struct {
		config email.Config
		status ticket.Status
		says   string
	}{
		{byEmail, ticket.Open, "ticket TKT-000123. You can reply to this email, or answer in your profile. They wrote:"},
		{inProfile, ticket.InProgress, "ticket TKT-000123. Please answer in your profile. They wrote:"},
		{byEmail, ticket.Closed, "ticket TKT-000123, which is closed. A reply to this email opens a new ticket, or open one in your profile. They wrote:"},
		{inProfile, ticket.Closed, "ticket TKT-000123, which is closed. If you need more help, please open a new one in your profile. They wrote:"},
	} {
		about := aTicket("Broken")
		about.Status = tt.status
		told, ok := email.ForStep(ticket.Step{Ticket: about, Before: ticket.Open, By: ticket.Staff, Body: "Try this."}, tt.config)
		m := compose(t, told)
		for _, shown := range []string{m.Text, m.HTML} {
			if text := strings.Join(strings.Fields(shown), " "); !ok || !strings.Contains(text, tt.says) {
				t.Errorf("%s: it lacks %q:\n%s", tt.status, tt.says, shown)
			}
		}
	}
}
