package subscription

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
)

// entitlement is the grant that a paid invoice stands for.
type entitlement struct {
	invoice string
	grant   ledger.Grant
}

// period is a month that was paid for.
type period struct{ start, end time.Time }

// rest is the share of credits that is left of the period at a moment in it, by the
// second as Stripe charges for it, and rounded up.
func (p period) rest(at time.Time, credits int64) int64 {
	return share(credits, p.end.Unix()-at.Unix(), p.end.Unix()-p.start.Unix())
}

// entitlements says which credits a subscription's paid invoices stand for, the
// oldest first, and which of them cannot be told:
//
//   - subscription_create and subscription_cycle pay for a period: its plan's credits,
//     fact "<subscription>/<period start>/base". Whatever was paid, a discount of
//     100 % included, and in whatever currency.
//   - subscription_update pays for a dearer plan in the middle of a period: of the
//     difference the share of the period that is left, fact "…/upgrade:<plan>", even
//     if there was nothing to pay. Nothing for a cheaper one.
//   - any other reason stands for no credits.
//
// The plan is the price's of the line. A price that is not ours, a quantity other
// than one or lines that contradict each other are left to people.
func entitlements(s stripe.Subscription, invoices []stripe.Invoice, plans map[string]plan.Plan) (list []entitlement, unfit []*Unfit) {
	invoices = slices.Clone(invoices)
	slices.SortStableFunc(invoices, func(a, b stripe.Invoice) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	var periods []period
	reject := func(reason string, i stripe.Invoice) { unfit = append(unfit, &Unfit{Reason: reason, Object: i.ID}) }
	for _, i := range invoices {
		if i.Reason != "subscription_create" && i.Reason != "subscription_cycle" {
			continue
		}
		l, sold, reason := whole(i, plans)
		if reason != "" {
			reject(reason, i)
			continue
		}
		periods = append(periods, period{l.Start, l.End})
		list = append(list, entitle(s.ID, i, l, period{l.Start, l.End}, "base", sold.Name+" plan", sold.MonthlyCredits))
	}
	for _, i := range invoices {
		if i.Reason != "subscription_update" {
			continue
		}
		l, from, to, reason := change(i, s.PriceID, plans)
		if reason == "" && from.MonthlyCredits >= to.MonthlyCredits {
			continue
		}
		at := slices.IndexFunc(periods, func(p period) bool { return !l.Start.Before(p.start) && l.Start.Before(p.end) })
		if reason == "" && at < 0 {
			reason = OddInvoice
		}
		if reason != "" {
			reject(reason, i)
			continue
		}
		list = append(list, entitle(s.ID, i, l, periods[at], "upgrade:"+to.ID, "Upgrade to "+to.Name,
			periods[at].rest(l.Start, to.MonthlyCredits-from.MonthlyCredits)))
	}
	slices.SortStableFunc(list, func(a, b entitlement) int { return a.grant.PeriodStart.Compare(b.grant.PeriodStart) })
	return list, unfit
}

func entitle(subscription string, i stripe.Invoice, l stripe.Line, p period, kind, description string, amount int64) entitlement {
	return entitlement{invoice: i.ID, grant: ledger.Grant{
		Fact: fmt.Sprintf("%s/%d/%s", subscription, p.start.Unix(), kind), Series: subscription, Replaces: true,
		Reference: i.ID + "/" + l.ID, Description: description, Amount: amount, PeriodStart: p.start, PeriodEnd: p.end,
	}}
}

// whole finds the line of an invoice that pays for a period. Others may stand
// beside it: prorations of a change that waited for the renewal.
func whole(i stripe.Invoice, plans map[string]plan.Plan) (found stripe.Line, sold plan.Plan, reason string) {
	lines := 0
	for _, l := range i.Lines {
		if !l.Proration {
			found = l
			lines++
		}
	}
	sold, ok := plans[found.PriceID]
	switch {
	case i.MoreLines || lines != 1 || !found.Start.Before(found.End):
		return found, sold, OddInvoice
	case !ok || sold.MonthlyCredits <= 0:
		return found, sold, UnknownPrice
	case found.Quantity != 1:
		return found, sold, OddQuantity
	}
	return found, sold, ""
}

// change finds what an invoice in the middle of a period gives back and charges. A
// change so late in the period, or so discounted, that both come to nothing does not
// tell which is which: the new plan is the one that the subscription now has.
func change(i stripe.Invoice, price string, plans map[string]plan.Plan) (charged stripe.Line, from, to plan.Plan, reason string) {
	var lines []stripe.Line
	for _, l := range i.Lines {
		if l.Proration {
			lines = append(lines, l)
		}
	}
	if i.MoreLines || len(lines) != 2 {
		return charged, from, to, OddInvoice
	}
	back, charged := lines[0], lines[1]
	if free := back.Amount == charged.Amount; !free && back.Amount > charged.Amount || free && back.PriceID == price {
		back, charged = charged, back
	}
	from, known := plans[back.PriceID]
	to, sold := plans[charged.PriceID]
	switch {
	case back.Amount > 0 || charged.Amount < 0, back.Amount == charged.Amount && charged.PriceID != price:
		return charged, from, to, OddInvoice
	case !known || !sold:
		return charged, from, to, UnknownPrice
	case charged.Quantity != 1 || back.Quantity != 1:
		return charged, from, to, OddQuantity
	}
	return charged, from, to, ""
}
