package subscription

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fledge.dev/services/billing/internal/stripe"
)

// life is a subscription that somebody has for some months, with the invoices that Stripe
// makes of it and, told by the life and not by them, what they are entitled to.
type life struct {
	*rapid.T
	now      stripe.Subscription
	invoices []stripe.Invoice
	want     map[string]int64
	// waiting are changes that the next renewal bills.
	waiting []turn
	// trial is a period that nothing is paid for, before the first one.
	trial period
	// unused is what the next invoice gives back of a period that was cut short.
	unused []stripe.Line
	// long is for how many months it is paid at once, since how many have passed from the day that its periods are counted from.
	long, since int
	anchor      time.Time
	serial      int
	// sent says that its invoices are sent, and paid that much later.
	sent  bool
	later time.Duration
}

// turn is a change of offer in the middle of a period.
type turn struct {
	at       time.Time
	within   period
	from, to string
}

// offer is what a subscription can be of: a plan, or a price that was agreed on for one, with what a
// month costs and gives; what was agreed on is given for each period.
type offer struct {
	plan           string
	cents, credits int64
	agreed         bool
}

var offers = map[string]offer{
	"pro": {"pro", 2500, 5000, false}, "business": {"business", 5000, 10000, false}, "pro_more": {"pro", 3500, 8000, true},
	"enterprise_a": {"enterprise", 90000, 200000, true}, "enterprise_b": {"enterprise", 200000, 500000, true},
}

func (l *life) chance(of int, what string) bool {
	return rapid.IntRange(1, of).Draw(l.T, what) == 1
}

// another is one of the offers, but not this one.
func (l *life) another(than string) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(offers)), func(name string) bool { return name == than })
	return rapid.SampledFrom(names).Draw(l.T, "another offer")
}

// price is one of an offer's: the one that is offered or was agreed on, or one of before.
func (l *life) price(plan string) (price, product string) {
	if offers[plan].agreed {
		return "price_" + plan, "prod_" + offers[plan].plan
	}
	if l.chance(3, "another price") {
		return fmt.Sprintf("price_%s_%d", plan, rapid.IntRange(2019, 2025).Draw(l.T, "since")), "prod_" + plan
	}
	return "price_" + plan, "prod_" + plan
}

func (l *life) line(plan string, amount int64, start, end time.Time, proration bool) stripe.Line {
	l.serial++
	price, product := l.price(plan)
	return stripe.Line{
		ID: fmt.Sprint("il_", l.serial), PriceID: price, ProductID: product, Amount: amount, Quantity: 1, Start: start, End: end, Proration: proration,
	}
}

// noise is what stands on an invoice and pays for no plan.
func (l *life) noise(start, end time.Time) (lines []stripe.Line) {
	for range rapid.IntRange(0, 3).Draw(l.T, "noise") {
		n := l.line("pro", rapid.Int64Range(-5000, 5000).Draw(l.T, "amount"), start, end, false)
		switch rapid.IntRange(0, 3).Draw(l.T, "kind") {
		case 0: // a credit or a fee
			n.PriceID, n.ProductID, n.OneOff, n.End = "", "", true, start
		case 1: // something of ours, sold by itself
			n.OneOff = true
		case 2: // another product of the subscription's
			n.PriceID, n.ProductID = "price_storage", "prod_storage"
		case 3: // a change of that other product
			n.PriceID, n.ProductID, n.Proration = "price_storage", "prod_storage", true
		}
		lines = append(lines, n)
	}
	return lines
}

// prorations bill a change: a side may come in pieces, and be discounted to nothing.
func (l *life) prorations(t turn, now string) (lines []stripe.Line) {
	free := t.to == now && t.from != now && l.chance(4, "for nothing")
	for _, side := range []struct {
		plan string
		sign int64
	}{{t.from, -1}, {t.to, 1}} {
		plan := side.plan
		left := side.sign * max(offers[plan].cents*int64(t.within.end.Sub(t.at))/int64(t.within.end.Sub(t.within.start)), 2)
		if free {
			left = 0
		}
		if l.chance(4, "in pieces") {
			part := left / 2
			lines = append(lines, l.line(plan, part, t.at, t.within.end, true))
			left -= part
		}
		lines = append(lines, l.line(plan, left, t.at, t.within.end, true))
	}
	if l.chance(4, "another price of the same plan") {
		lines = append(lines, l.line(t.to, -3, t.at, t.within.end, true), l.line(t.to, 3, t.at, t.within.end, true))
	}
	return lines
}

func (l *life) bill(at time.Time, lines []stripe.Line) {
	l.serial++
	var total int64 // a tax is in it, and no line says so
	for _, line := range lines {
		total += line.Amount * rapid.Int64Range(100, 127).Draw(l.T, "tax") / 100
	}
	var due time.Time
	if l.sent {
		due = at.AddDate(0, 0, 30)
	}
	l.invoices = append(l.invoices, stripe.Invoice{
		DueAt: due, PaidAt: at.Add(l.later), Total: total, Paid: rapid.Int64Range(0, max(total, 0)).Draw(l.T, "by card"), // a balance has paid the rest
		ID: fmt.Sprintf("in_%03d", l.serial), SubscriptionID: "sub_1", Status: "paid", Created: at, Lines: rapid.Permutation(lines).Draw(l.T, "lines"),
		Reason: rapid.SampledFrom([]string{"subscription_create", "subscription_cycle", "subscription_update", "subscription_threshold", "manual"}).Draw(l.T, "reason"),
	})
}

// earns notes what a change that was billed gives, the first of a kind in a period.
func (l *life) earns(t turn) {
	fact := fmt.Sprintf("sub_1/%d/upgrade:%s", t.within.start.Unix(), offers[t.to].plan)
	if offers[t.from].plan == offers[t.to].plan && offers[t.to].agreed {
		fact += ":price_" + t.to
	}
	length, left := t.within.end.Unix()-t.within.start.Unix(), t.within.end.Unix()-t.at.Unix()
	if more := l.credits(t.within, t.to) - l.credits(t.within, t.from); more > 0 && l.want[fact] == 0 {
		l.want[fact] = (more*left + length - 1) / length
	}
}

func (l *life) credits(p period, plan string) int64 {
	if offers[plan].agreed {
		return offers[plan].credits
	}
	if p.start.Equal(l.trial.start) && p.end.Equal(l.trial.end) { // a month has 30.4375 days
		return min((offers[plan].credits*int64(p.end.Sub(p.start)/time.Second)+2629799)/2629800, offers[plan].credits)
	}
	return offers[plan].credits * int64(12*(p.end.Year()-p.start.Year())+int(p.end.Month())-int(p.start.Month()))
}

func (l *life) lives() {
	l.sent, l.later = l.chance(3, "sent"), time.Duration(rapid.IntRange(0, 60).Draw(l.T, "days until it is paid"))*24*time.Hour
	if l.long = 1; l.chance(5, "by the year") {
		l.long = 12
	}
	names := slices.Sorted(maps.Keys(offers))
	start := time.Date(rapid.IntRange(2027, 2028).Draw(l.T, "year"), time.Month(rapid.IntRange(1, 12).Draw(l.T, "month")), rapid.IntRange(1, 31).Draw(l.T, "day"), 0, 0, 0, 0, time.UTC)
	plan, months := rapid.SampledFrom(names).Draw(l.T, "plan"), rapid.IntRange(1, 4).Draw(l.T, "months")
	final := rapid.SampledFrom(names).Draw(l.T, "plan in the end")
	l.now.PriceID, l.now.ProductID = l.price(final)
	if l.chance(4, "a trial") {
		plan, start = l.tries(start, plan, final)
	}
	l.anchor, l.since = start, 0
	for n := range months {
		l.since += l.long
		within := period{start: start, end: monthsAfter(l.anchor, l.since)}
		l.now.PeriodStart, l.now.PeriodEnd = within.start, within.end
		if paid := n < months-1 || !l.chance(4, "not paid yet"); paid {
			lines := append(l.noise(within.start, within.end), l.line(plan, offers[plan].cents*rapid.Int64Range(0, 1).Draw(l.T, "paid"), within.start, within.end, false))
			lines = append(lines, l.unused...)
			for _, t := range l.waiting {
				lines = append(lines, l.prorations(t, final)...)
				l.earns(t)
			}
			l.want[fmt.Sprintf("sub_1/%d/base", within.start.Unix())] = l.credits(within, plan)
			l.bill(start.Add(time.Hour), lines)
		}
		l.waiting, l.unused = nil, nil
		if within, plan = l.longer(within, plan); within.since.IsZero() {
			plan, start = l.changes(within, plan, final)
		} else {
			l.now.PeriodStart, l.now.PeriodEnd = rapid.SampledFrom([]time.Time{within.start, within.since}).Draw(l.T, "the period begins"), within.end
			plan, start = l.changes(period{start: within.start, end: within.end, since: within.since}, plan, final)
		}
		if start.Before(within.end) {
			l.anchor, l.since = start, 0
			l.unused = []stripe.Line{l.line(plan, -rapid.Int64Range(1, 5000).Draw(l.T, "unused"), start, within.end, true)}
			continue
		}
		if l.chance(4, "a change that waited") {
			plan = rapid.SampledFrom(names).Draw(l.T, "plan of the next period")
		}
	}
}

// longer has a month be paid by the year from a moment on, with the day of the renewals as before.
func (l *life) longer(within period, plan string) (longer period, last string) {
	to := l.another("")
	months := (l.since + 11) / 12 * 12
	if l.long > 1 || months == l.since || offers[to].agreed || len(l.waiting) > 0 || l.want[fmt.Sprintf("sub_1/%d/base", within.start.Unix())] == 0 || !l.chance(4, "by the year from now on") {
		return within, plan
	}
	at := within.start.Add(time.Duration(rapid.IntRange(1, 27*24*60).Draw(l.T, "minutes")) * time.Minute)
	longer = period{start: within.start, end: monthsAfter(l.anchor, months), since: at}
	left := func(p period, credits int64) int64 {
		length := p.end.Unix() - p.start.Unix()
		return (credits*(p.end.Unix()-at.Unix()) + length - 1) / length
	}
	l.bill(at, append(l.noise(at, within.end), l.line(plan, -100, at, within.end, true), l.line(to, offers[to].cents*9, at, longer.end, true)))
	if more := left(longer, l.credits(longer, to)) - left(within, l.credits(within, plan)); more > 0 {
		l.want[fmt.Sprintf("sub_1/%d/longer:%s:%d", within.start.Unix(), to, longer.end.Unix())] = more
	}
	l.long, l.since = 12, months
	return longer, to
}

// monthsAfter is when Stripe ends a period: on the day of the anchor, or on the last day of a month that has no such day.
func monthsAfter(anchor time.Time, months int) time.Time {
	first := anchor.AddDate(0, months, 1-anchor.Day())
	return first.AddDate(0, 0, min(anchor.Day(), first.AddDate(0, 1, -1).Day())-1)
}

// tries has the subscription begin with a trial, in which the plan may change. It returns the plan
// then, and when the trial ends.
func (l *life) tries(start time.Time, plan, final string) (last string, end time.Time) {
	end = start.AddDate(0, 0, rapid.IntRange(1, 60).Draw(l.T, "days of the trial"))
	l.trial = period{start: start, end: end}
	l.now.TrialStart, l.now.TrialEnd = start, end
	l.bill(start, append(l.noise(start, end), l.line(plan, 0, start, end, false)))
	l.want[fmt.Sprintf("sub_1/%d/base", start.Unix())] = l.credits(l.trial, plan)
	if l.chance(2, "a change in the trial") {
		t := turn{start.Add(time.Duration(rapid.IntRange(1, 20*60).Draw(l.T, "minutes")) * time.Minute), l.trial, plan, l.another(plan)}
		if plan = t.to; plan == final { // for nothing, so that only the plan in the end tells which is the new one
			l.bill(t.at, []stripe.Line{l.line(t.from, 0, t.at, end, true), l.line(t.to, 0, t.at, end, true)})
			l.earns(t)
		}
	}
	return plan, end
}

// changes has the plan change some times within a period. It returns the last, and when the next
// period begins: with the end of this one, or earlier when the cycle was reset.
func (l *life) changes(within period, plan, final string) (last string, next time.Time) {
	at := within.start.Add(2 * time.Hour)
	if within.since.After(at) {
		at = within.since
	}
	for range rapid.IntRange(0, 3).Draw(l.T, "changes") {
		at = at.Add(time.Duration(rapid.IntRange(1, 8*24*60).Draw(l.T, "minutes")) * time.Minute)
		t := turn{at, within, plan, l.another(plan)}
		plan = t.to
		if l.chance(3, "billed later") {
			l.waiting = append(l.waiting, t)
			continue
		}
		l.bill(at, append(l.noise(at, within.end), l.prorations(t, final)...))
		l.earns(t)
	}
	if l.chance(4, "the cycle is reset") {
		return plan, at.Add(time.Duration(rapid.IntRange(1, 3*24*60).Draw(l.T, "minutes")) * time.Minute)
	}
	return plan, within.end
}

// TestEveryPeriodThatIsPaidForIsGranted whatever else stands on the invoices.
func TestEveryPeriodThatIsPaidForIsGranted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		for range 30 {
			l := &life{T: rt, now: stripe.Subscription{ID: "sub_1"}, want: map[string]int64{}}
			l.lives()
			list, unfit := entitlements(l.now, rapid.Permutation(l.invoices).Draw(rt, "invoices"), plans)
			got := map[string]int64{}
			for _, e := range list {
				got[e.grant.Fact] = cmp.Or(got[e.grant.Fact], e.grant.Amount)
				if !e.grant.PeriodStart.Before(e.grant.PeriodEnd) {
					rt.Fatalf("%s lasts no time", e.grant.Fact)
				}
			}
			if len(unfit) > 0 || !maps.Equal(got, l.want) {
				rt.Fatalf("granted %v, refused %v; want %v", got, unfit, l.want)
			}
		}
	})
}
