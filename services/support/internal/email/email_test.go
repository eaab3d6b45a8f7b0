package email_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"

	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/ticket"
)

func aTicket(subject string) ticket.Ticket {
	return ticket.Ticket{
		ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Number: 123, Customer: ticket.Person{Email: "ada@example.com"},
		Content: ticket.Content{Subject: subject, Message: "help"}, Status: ticket.Open, Version: 1,
	}
}

func TestSubjectsFitAHeader(t *testing.T) {
	for subject, want := range map[string]string{
		"":                       "[TKT-000123] Your message to Fledge",
		"Broken":                 "[TKT-000123] Broken",
		strings.Repeat("日", 200): "[TKT-000123] " + strings.Repeat("日", 58) + "…",
		strings.Repeat("x", 200): "[TKT-000123] " + strings.Repeat("x", 174) + "…",
	} {
		receipt, err := email.Receipt(aTicket(subject), email.Config{SiteOrigin: "https://fledge.example"})
		if err != nil || receipt.Subject != want || !utf8.ValidString(receipt.Subject) {
			t.Errorf("%.20q: %q, %v", subject, receipt.Subject, err)
		}
		step := ticket.Step{Ticket: aTicket(subject), Before: ticket.Open, By: ticket.Staff, Body: "x"}
		answer, ok, err := email.ForStep(step, email.Config{SiteOrigin: "https://fledge.example"})
		if err != nil || !ok || answer.Subject != "Re: "+want || answer.Follows != receipt.Key || answer.To != "ada@example.com" {
			t.Errorf("%.20q: %+v, %t, %v", subject, answer, ok, err)
		}
	}
}

func TestEachChangeHasItsOwnEmail(t *testing.T) {
	keys := map[string]bool{}
	for version := int64(2); version < 5; version++ {
		made := aTicket("s")
		made.Version = version
		m, ok, err := email.ForStep(ticket.Step{Ticket: made, Before: ticket.Open, By: ticket.Staff, Body: "x"}, email.Config{SiteOrigin: "https://fledge.example"})
		if err != nil || !ok || keys[m.Key] {
			t.Errorf("version %d: key %q, %t, %v", version, m.Key, ok, err)
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
		if m, ok, err := email.ForStep(step, email.Config{SiteOrigin: "https://fledge.example"}); ok || err != nil {
			t.Errorf("%s: %q, %v", name, m.Subject, err)
		}
	}
}
