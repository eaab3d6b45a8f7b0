package email

import (
	"embed"
	"time"

	"fledge.dev/services/platform/mail"
)

//go:embed templates
var files embed.FS

// BuiltIn are the templates of the service, with a sample of each email.
func BuiltIn(siteOrigin string) mail.BuiltIn {
	return mail.BuiltIn{Files: files, Samples: samples(siteOrigin)}
}

func samples(siteOrigin string) []mail.Email {
	facts := Facts{
		Plan: "Pro", Was: "Business", Interval: "month", WasInterval: "year", At: time.Date(2026, 12, 24, 9, 30, 0, 0, time.UTC),
		Left: 950, Granted: 5000, Amount: 2975, Currency: "usd", Until: time.Date(2027, 1, 7, 9, 30, 0, 0, time.UTC),
	}
	var all []mail.Email
	add := func(kind Kind, f Facts) {
		all = append(all, Compose(kind, f, siteOrigin, "sample/"+string(kind), "person@fledge.example"))
	}
	for _, kind := range Kinds() {
		add(kind, facts)
	}
	spent, packs, kept := facts, facts, facts
	spent.Until, packs.Part, kept.Was = time.Time{}, 500, facts.Plan
	add(PaymentFailed, spent)
	add(PlanEnded, spent)
	add(PaymentFailed, packs)
	add(PlanEnded, packs)
	add(PlanChanging, kept)
	return all
}
