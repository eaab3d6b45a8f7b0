package email

import (
	"embed"

	"github.com/google/uuid"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

//go:embed templates
var files embed.FS

// BuiltIn are the templates of the service, with a sample of each email.
func BuiltIn(siteOrigin string) mail.BuiltIn {
	return mail.BuiltIn{Files: files, Samples: samples(siteOrigin)}
}

func samples(siteOrigin string) []mail.Email {
	t := ticket.Ticket{
		ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Number: 123, Version: 1, Status: ticket.Open,
		Customer: ticket.Person{Email: "person@fledge.example"},
		Content: ticket.Content{
			Category: ticket.FeatureRequest, Priority: ticket.High, Subject: "Export to Xcode",
			Message: "Hello,\n\nwhere do I find my project's files?",
		},
	}
	const answer = "Hello,\n\nchoose File, then Export. The files are in your Downloads folder."
	byEmail := Config{SiteOrigin: siteOrigin, ReplyTo: func(ticket.Ticket) string { return "support@fledge.example" }}
	inProfile := Config{SiteOrigin: siteOrigin}
	team := "team@fledge.example"
	all := []mail.Email{Receipt(t, byEmail), OpenedFor(t, byEmail), ForTeam(t, team, siteOrigin)}
	for _, news := range [][]ticket.News{{{Ticket: t, Opened: true}}, {{Ticket: t}}, {{Ticket: t, Opened: true}, {Ticket: t}}} {
		all = append(all, ForStaff(news, "news", team, siteOrigin))
	}
	t.Version = 2
	all = append(all, ForTeam(t, team, siteOrigin))
	for _, c := range []Config{byEmail, inProfile} {
		for _, body := range []ticket.Text{answer, ""} {
			for _, status := range []ticket.Status{ticket.Open, ticket.Resolved, ticket.Closed} {
				t.Status = status
				if e, ok := ForStep(ticket.Step{Ticket: t, Before: ticket.Open, By: ticket.Staff, Body: body}, c); ok {
					all = append(all, e)
				}
			}
		}
	}
	return all
}
