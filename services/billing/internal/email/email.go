// Package email has the emails about credits and plans.
package email

import (
	"fmt"
	"strings"
	"time"

	"fledge.dev/services/platform/mail"
)

// Kind is what an email tells.
type Kind string

// The kinds, as they are stored.
const (
	Low           Kind = "low"
	UsedUp        Kind = "used_up"
	Ending        Kind = "ending"
	PaymentFailed Kind = "payment_failed"
	PlanChanging  Kind = "plan_changing"
	PlanChanged   Kind = "plan_changed"
	PlanEnded     Kind = "plan_ended"
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{Low, UsedUp, Ending, PaymentFailed, PlanChanging, PlanChanged, PlanEnded}
}

// Facts are what an email says; those that its kind has no use for are zero.
type Facts struct {
	// Plan and Was are names: of the plan that it is about or that comes, and of the one before.
	Plan, Was string
	// Interval and WasInterval are how often a plan that stays is paid: "month", or "3 months" for WasInterval.
	Interval, WasInterval string
	// At is when a plan changes or credits end.
	At time.Time
	// Left and Granted are hundredths of credits.
	Left, Granted int64
	// Amount is what is due, in hundredths of Currency ("usd").
	Amount   int64
	Currency string
	// Until is when the first of the credits end that can still be spent; zero without any. Part is how
	// many those are, in hundredths, if others end on a later day; 0 otherwise.
	Until time.Time
	Part  int64
}

// Compose writes an email for one recipient. Its key is mail.Email's.
func Compose(kind Kind, f Facts, siteOrigin, key, to string) mail.Email {
	template := string(kind)
	if kind == PlanChanging && f.Plan == f.Was {
		template = "interval_changing"
	}
	return mail.Email{
		Template: template, Key: key, To: to, Values: f.values(),
		// /profile would send people who are signed out to the landing page.
		Action: siteOrigin + "/signin",
	}
}

// values are those of all kinds; a template uses those of its own.
func (f Facts) values() map[string]string {
	var part string
	if f.Part > 0 {
		part = credits(f.Part)
	}
	return map[string]string{
		"Plan": f.Plan, "Was": f.Was, "Interval": f.Interval, "WasInterval": f.WasInterval, "At": day(f.At), "Until": day(f.Until), "Part": part,
		"Left": credits(f.Left), "Granted": credits(f.Granted), "Amount": credits(f.Amount) + " " + strings.ToUpper(f.Currency),
	}
}

// day is in UTC, as on Stripe's invoices; "" for no time.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 January 2006")
}

func credits(hundredths int64) string { return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100) }
