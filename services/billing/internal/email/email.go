// Package email has the emails about credits and plans.
package email

import (
	"fmt"
	"strings"
	"time"

	"fledge.dev/services/platform/brand"
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
	// Interval and WasInterval are how often a plan that stays is paid ("month").
	Interval, WasInterval string
	// At is when a plan changes or credits end.
	At time.Time
	// Left and Granted are hundredths of credits.
	Left, Granted int64
	// Amount is what is due, in hundredths of Currency ("usd").
	Amount   int64
	Currency string
	// Until is when the first of the credits end that can still be spent; zero without any.
	Until time.Time
}

var emails = map[Kind]func(f Facts) mail.Email{
	Low: func(f Facts) mail.Email {
		return mail.Email{
			Subject:    "You have " + credits(f.Left) + " credits left",
			Heading:    "Your credits are running low",
			Paragraphs: []string{"Of your " + credits(f.Granted) + " credits, " + credits(f.Left) + " are left.", "Your profile shows your plan, and when your credits renew or end."},
			Action:     &mail.Action{Label: "See my credits"},
		}
	},
	UsedUp: func(f Facts) mail.Email {
		return mail.Email{
			Subject:    "Your credits are used up",
			Heading:    "Your credits are used up",
			Paragraphs: []string{"You have used all of your " + credits(f.Granted) + " credits.", "Your profile shows your plan, and when your credits renew or end."},
			Action:     &mail.Action{Label: "See my plan"},
		}
	},
	Ending: func(f Facts) mail.Email {
		return mail.Email{
			Subject:    "Credits of yours end on " + day(f.At),
			Heading:    "Credits of yours end soon",
			Paragraphs: []string{credits(f.Left) + " of your credits can be spent until " + day(f.At) + ". What is not used by then expires."},
			Action:     &mail.Action{Label: "See my credits"},
		}
	},
	PaymentFailed: func(f Facts) mail.Email {
		money := fmt.Sprintf("%s %s", credits(f.Amount), strings.ToUpper(f.Currency))
		return mail.Email{
			Subject: "Your payment to " + brand.Name + " failed",
			Heading: "Your payment failed",
			Paragraphs: []string{
				money + " for your " + f.Plan + " plan could not be collected. If it stays unpaid, your plan stops.",
				spendable(f.Until, "You have no credits left until it is paid."),
				"In your profile, Update Payment Method leads to the page where you can pay or change your card.",
			},
			Action: &mail.Action{Label: "Update payment method"},
		}
	},
	PlanChanging: func(f Facts) mail.Email {
		if f.Plan == f.Was {
			says := "You pay for " + f.Plan + " by the " + f.Interval + " from " + day(f.At) + " on"
			return mail.Email{
				Subject: says,
				Heading: "Your payments will change",
				Paragraphs: []string{
					says + "; until then by the " + f.WasInterval + ".",
					"You want to keep paying by the " + f.WasInterval + "? Choose that again in your profile before then.",
				},
				Action: &mail.Action{Label: "See my plan"},
			}
		}
		return mail.Email{
			Subject: "Your plan changes to " + f.Plan + " on " + day(f.At),
			Heading: "Your plan will change",
			Paragraphs: []string{
				"Your " + f.Was + " plan stays as it is until " + day(f.At) + ". From then on you have the " + f.Plan + " plan.",
				"You want to keep " + f.Was + "? Choose it again in your profile before then.",
			},
			Action: &mail.Action{Label: "See my plan"},
		}
	},
	PlanChanged: func(f Facts) mail.Email {
		return mail.Email{
			Subject:    "Your plan is now " + f.Plan,
			Heading:    "Your plan has changed",
			Paragraphs: []string{"You now have the " + f.Plan + " plan; before, you had " + f.Was + ". Your credits and your next billing date are in your profile."},
			Action:     &mail.Action{Label: "See my plan"},
		}
	},
	PlanEnded: func(f Facts) mail.Email {
		return mail.Email{
			Subject: "Your " + f.Plan + " plan has ended",
			Heading: "Your plan has ended",
			Paragraphs: []string{
				"Your " + f.Plan + " plan has ended, and is not charged any more.",
				spendable(f.Until, "You have no credits left of it."),
				"You can choose a plan again at any time.",
			},
			Action: &mail.Action{Label: "See the plans"},
		}
	},
}

// Compose writes an email for one recipient. Its key is mail.Message's.
func Compose(kind Kind, f Facts, siteOrigin, key, to string) (mail.Message, error) {
	write, ok := emails[kind]
	if !ok {
		return mail.Message{}, fmt.Errorf("email: no kind %q", kind)
	}
	e := write(f)
	e.Preview = e.Paragraphs[0]
	// /profile would send people who are signed out to the landing page.
	e.Action.URL = siteOrigin + "/signin"
	e.Reason = "You get this email because it is about the plan and the credits of your " + brand.Name + " account."
	return e.Compose(key, to)
}

func spendable(until time.Time, otherwise string) string {
	if until.IsZero() {
		return otherwise
	}
	return "Credits that you have left can be spent until " + day(until) + "."
}

// day is in UTC, as on Stripe's invoices.
func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

func credits(hundredths int64) string { return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100) }
