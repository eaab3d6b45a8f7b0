package email_test

import (
	"strings"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
)

func TestEachKindSaysWhatItIsAbout(t *testing.T) {
	facts := email.Facts{
		Plan: "Pro", Was: "Business", At: time.Date(2026, 12, 24, 23, 59, 0, 0, time.UTC), Left: 950, Granted: 5000, Amount: 2975, Currency: "eur",
		Until: time.Date(2026, 12, 27, 12, 0, 0, 0, time.UTC),
	}
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	errtest.None(t, err)
	compose := func(kind email.Kind, f email.Facts, site, key, to string) (mail.Message, error) {
		return templates.Compose(email.Compose(kind, f, site, key, to))
	}
	for kind, want := range map[email.Kind][]string{
		email.Low:           {"You have 9.50 credits left", "Of your 50.00 credits, 9.50 are left."},
		email.UsedUp:        {"Your credits are used up", "You have used all of your 50.00 credits."},
		email.Ending:        {"Credits of yours end on 24 December 2026", "9.50 of your credits can be spent until 24 December 2026."},
		email.PaymentFailed: {"Your payment to Fledge is overdue", "29.75 EUR for your Pro plan is overdue.", "can be spent until 27 December 2026."},
		email.PlanChanging:  {"Your plan changes to Pro on 24 December 2026", "Your Business plan stays as it is until 24 December 2026.", "keep Business?"},
		email.PlanChanged:   {"Your plan is now Pro", "before, you had Business."},
		email.PlanEnded:     {"Your Pro plan has ended", "is not charged any more.", "can be spent until 27 December 2026."},
	} {
		m, err := compose(kind, facts, "https://fledge.example", "billing/1/x", "ada@example.com")
		if err != nil || m.Subject != want[0] || m.To != "ada@example.com" || m.Key != "billing/1/x" {
			t.Errorf("%s: %+v, %v", kind, m, err)
		}
		for _, text := range append(want[1:], "https://fledge.example/signin") {
			if !strings.Contains(m.Text, text) || !strings.Contains(m.HTML, text) {
				t.Errorf("%s does not say %q:\n%s", kind, text, m.Text)
			}
		}
	}
	if _, err := compose("else", facts, "https://fledge.example", "k", "ada@example.com"); err == nil {
		t.Error("a kind that is none was written")
	}
	packs := facts
	packs.Part = 500
	for _, kind := range []email.Kind{email.PaymentFailed, email.PlanEnded} {
		m, err := compose(kind, packs, "https://fledge.example", "k", "ada@example.com")
		if want := "5.00 of the credits that you have left can be spent until 27 December 2026, the others for longer."; err != nil || !strings.Contains(strings.Join(strings.Fields(m.Text), " "), want) {
			t.Errorf("who has a pack is told %s, %v", m.Text, err)
		}
	}
	facts.Until = time.Time{}
	if m, _ := compose(email.PaymentFailed, facts, "https://fledge.example", "k", "ada@example.com"); !strings.Contains(m.Text, "no credits left until it is paid") {
		t.Errorf("who has none left is told %s", m.Text)
	}
	facts.Was, facts.Interval, facts.WasInterval = "Pro", "month", "year"
	if m, _ := compose(email.PlanChanging, facts, "https://fledge.example", "k", "ada@example.com"); !strings.Contains(m.Text, "You pay for Pro every month from 24 December 2026 on; until then every year.") {
		t.Errorf("who will pay their plan by the month is told %s", m.Text)
	}
	for _, kind := range email.Kinds() {
		if _, err := compose(kind, facts, "https://fledge.example", "k", "ada@example.com"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
