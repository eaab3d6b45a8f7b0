package subscription

import (
	"cmp"
	"fmt"
	"maps"
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
	// lasts is what it is for, before a late payment moves it.
	lasts period
	// rise says that it is for a change to a price of the same plan that gives more.
	rise bool
}

// period is what was paid for at a time.
type period struct {
	start, end time.Time
	sold       plan.Sold
	// since is when a change made it longer than it was; zero for one that nothing did.
	since time.Time
}

func (p period) covers(at time.Time) bool {
	return !at.Before(p.start) && at.After(p.since) && at.Before(p.end)
}

// rest is the share of credits that is left of the period at a moment in it, by the
// second as Stripe charges for it, and rounded up.
func (p period) rest(at time.Time, credits int64) int64 {
	return share(credits, p.end.Unix()-at.Unix(), p.end.Unix()-p.start.Unix())
}

// worth is what a period gives of a plan.
func (r *reader) worth(sold plan.Sold, start, end time.Time) int64 {
	if !r.s.TrialEnd.IsZero() && !start.Before(r.s.TrialStart) && !end.After(r.s.TrialEnd) {
		return sold.Trial(start, end)
	}
	return sold.Credits(start, end)
}

// reader turns the paid invoices of a subscription into what they stand for.
type reader struct {
	s       stripe.Subscription
	prices  plan.Prices
	periods []period
	list    []entitlement
	unfit   []*Unfit
}

// entitlements says which credits a subscription's paid invoices stand for, the
// oldest first, and which of them cannot be told. Only lines that sell a plan of ours count:
// taxes, discounts, credits, fees and other products may stand beside them, and the reason
// and the total of the invoice are of no concern.
//
//   - A line of the subscription itself pays for a period: its plan's credits, fact
//     "<subscription>/<period start>/base". Whatever was paid, a discount of
//     100 % included, and in whatever currency. Of a trial, the share of a month that it lasts.
//   - Prorations of one moment are a change in the middle of a period. To what gives more credits
//     they stand for the share of the difference that is left of the period, fact
//     "…/upgrade:<plan>", or "…/upgrade:<plan>:<price>" to an agreed price of the same plan, even if there was nothing to
//     pay. To what gives less for nothing.
//   - To a price for a longer time, whose line lasts beyond the period: Stripe keeps the day of the renewals in flexible
//     billing mode, so they stand for the plan's credits from then until the line ends, less what is left of the period, fact
//     "…/longer:<plan>:<end>".
//
// The credits of an invoice that is sent, or that is paid after the period, last for as long as the period, from when it is paid,
// beside others.
//
// A quantity other than one and lines that contradict each other are left to people.
func entitlements(s stripe.Subscription, invoices []stripe.Invoice, prices plan.Prices) (list []entitlement, unfit []*Unfit) {
	invoices = slices.Clone(invoices)
	slices.SortStableFunc(invoices, func(a, b stripe.Invoice) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	r := reader{s: s, prices: prices}
	for _, i := range invoices {
		r.reject(r.wholes(i), i)
	}
	for _, i := range invoices {
		r.lengthen(i)
	}
	for _, i := range invoices {
		r.reject(r.changes(i), i)
	}
	slices.SortStableFunc(r.list, func(a, b entitlement) int { return a.grant.PeriodStart.Compare(b.grant.PeriodStart) })
	return r.list, r.unfit
}

// sells is the plan that a line sells; ok is false for what was used, which it tells afterwards, and for what is not ours.
func (r *reader) sells(l stripe.Line) (_ plan.Sold, ok bool) {
	if slices.Contains(r.s.Metered, l.PriceID) {
		return plan.Sold{}, false
	}
	return r.prices.Of(l.PriceID, l.ProductID)
}

func (r *reader) reject(reason string, i stripe.Invoice) {
	if reason != "" {
		r.unfit = append(r.unfit, &Unfit{Reason: reason, Object: i.ID})
	}
}

func (r *reader) entitle(i stripe.Invoice, l stripe.Line, paid, lasts period, kind, description string, amount int64) {
	late, given := i.PaidAt.After(lasts.start) && (!i.DueAt.IsZero() || i.PaidAt.After(lasts.end)), lasts
	if late {
		given = period{start: i.PaidAt, end: i.PaidAt.Add(lasts.end.Sub(lasts.start))}
	}
	r.list = append(r.list, entitlement{invoice: i.ID, lasts: lasts, grant: ledger.Grant{
		Fact: fmt.Sprintf("%s/%d/%s", r.s.ID, paid.start.Unix(), kind), Series: r.s.ID, Replaces: !late,
		Reference: i.ID + "/" + l.ID, Description: description, Amount: amount, PeriodStart: given.start, PeriodEnd: given.end,
		Paid: ledger.Payment{Invoice: i.ID, Amount: stripe.Hundredths(i.Paid, i.Currency), Currency: i.Currency},
	}})
}

// begins is the reason of the first invoice. Only that one sells periods that have passed, where staff let a subscription begin in
// the past. On a later one, such a line is what was used of an item that the subscription has no more.
const begins = "subscription_create"

// wholes reads the periods that an invoice pays for. It says why one of them cannot be told.
func (r *reader) wholes(i stripe.Invoice) (reason string) {
	if i.MoreLines {
		return OddInvoice
	}
	var lines []stripe.Line
	begun := map[time.Time]int{}
	for _, l := range i.Lines {
		if _, ours := r.sells(l); ours && !l.Proration && !l.OneOff && (l.End.After(i.Created) || i.Reason == begins) {
			lines = append(lines, l)
			begun[l.Start]++
		}
	}
	for _, l := range lines {
		sold, _ := r.sells(l)
		credits := r.worth(sold, l.Start, l.End)
		switch {
		case begun[l.Start] > 1 || !l.Start.Before(l.End):
			reason = OddInvoice
		case credits <= 0:
			reason = UnknownPrice
		case l.Quantity != 1:
			reason = OddQuantity
		default:
			p := period{start: l.Start, end: l.End, sold: sold}
			r.periods = append(r.periods, p)
			r.entitle(i, l, p, p, "base", sold.Name+" plan", credits)
		}
	}
	return reason
}

// lengthen notes the periods that a change to a price for a longer time has made longer: it gives back what is left of the period,
// and charges for what ends later.
func (r *reader) lengthen(i stripe.Invoice) {
	for _, l := range i.Lines {
		p, ok := latest(r.periods, l.Start)
		sold, ours := r.sells(l)
		if ok && ours && l.Proration && l.Amount >= 0 && l.End.After(p.end) && slices.ContainsFunc(i.Lines, func(back stripe.Line) bool {
			return back.Proration && back.Start.Equal(l.Start) && back.End.Equal(p.end)
		}) {
			r.periods = append(r.periods, period{start: p.start, end: l.End, sold: sold, since: l.Start})
		}
	}
}

// changes reads the changes of plan that an invoice bills: prorations that begin at the same
// moment belong together. It says why one of them cannot be told.
func (r *reader) changes(i stripe.Invoice) (reason string) {
	moments := map[time.Time][]stripe.Line{}
	for _, l := range i.Lines {
		if _, ours := r.sells(l); ours && l.Proration && !i.MoreLines {
			moments[l.Start] = append(moments[l.Start], l)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(moments), time.Time.Compare) {
		reason = cmp.Or(reason, r.change(i, at, moments[at]))
	}
	return reason
}

// side is what the prorations of one plan, at prices that give the same, come to.
type side struct {
	sold plan.Sold
	sum  int64
	line stripe.Line // of those that last longest, the last
}

// change reads what an invoice gives back of one plan, or price, and charges of another from a moment on.
func (r *reader) change(i stripe.Invoice, at time.Time, lines []stripe.Line) (reason string) {
	var sides []side
	for _, l := range lines {
		if l.Quantity != 1 {
			return OddQuantity
		}
		sold, _ := r.sells(l)
		n := slices.IndexFunc(sides, func(s side) bool { return s.sold.Gives(sold) })
		if n < 0 {
			n, sides = len(sides), append(sides, side{sold: sold})
		}
		if sides[n].sum += l.Amount; !l.End.Before(sides[n].line.End) {
			sides[n].line = l
		}
	}
	from, to, odd := r.turn(sides)
	if odd {
		return OddInvoice
	}
	if to.sum < 0 || to.sold.ID == "" {
		return "" // nothing but money back
	}
	paid, ok := r.covering(at)
	if !ok {
		return OddInvoice
	}
	if from.sold.ID == "" {
		from.sold = paid.sold
	}
	if slices.ContainsFunc(r.periods, func(p period) bool { return p.since.Equal(at) && p.end.Equal(to.line.End) }) {
		return r.longer(i, at, paid, from.sold, to)
	}
	extra := r.worth(to.sold, paid.start, paid.end)
	if from.sold.ID != "" {
		extra -= r.worth(from.sold, paid.start, paid.end)
	}
	if extra > 0 {
		kind, description := "upgrade:"+to.sold.ID, "Upgrade to "+to.sold.Name
		if from.sold.ID == to.sold.ID {
			description = "Upgrade of " + to.sold.Name
			if to.sold.Agreed() { // each such price may be a rise of its own
				kind += ":" + to.line.PriceID
			}
		}
		r.entitle(i, to.line, paid, r.lasts(i, paid), kind, description, paid.rest(at, extra))
		r.list[len(r.list)-1].rise = from.sold.ID == to.sold.ID
	}
	return ""
}

// longer reads a change to a price for a longer time, which is charged from then on, less what is left of the period. What was
// agreed on for each period cannot be shared out.
func (r *reader) longer(i stripe.Invoice, at time.Time, paid period, from plan.Sold, to side) (reason string) {
	if to.sold.Agreed() {
		return OddInvoice
	}
	whole := period{start: paid.start, end: to.line.End}
	credits := whole.rest(at, r.worth(to.sold, whole.start, whole.end))
	if from.ID != "" {
		credits -= paid.rest(at, r.worth(from, paid.start, paid.end))
	}
	if credits > 0 {
		r.entitle(i, to.line, paid, whole, fmt.Sprintf("longer:%s:%d", to.sold.ID, whole.end.Unix()), to.sold.Name+" plan", credits)
	}
	return ""
}

// covering is the period that a moment falls into: one that was paid for or else the current
// one, whose own invoice may be waiting to be paid.
func (r *reader) covering(at time.Time) (p period, ok bool) {
	list := r.periods
	if !slices.ContainsFunc(list, func(p period) bool { return p.end.Equal(r.s.PeriodEnd) }) {
		list = append(slices.Clone(list), period{start: r.s.PeriodStart, end: r.s.PeriodEnd})
	}
	return latest(list, at)
}

// latest is the last of the periods that a moment falls into: a reset of the cycle has cut short the one before, and a change
// has made one longer.
func latest(list []period, at time.Time) (p period, ok bool) {
	for _, candidate := range list {
		if candidate.covers(at) && (!ok || cmp.Or(candidate.start.Compare(p.start), candidate.since.Compare(p.since)) > 0) {
			p, ok = candidate, true
		}
	}
	return p, ok
}

// turn tells what a change leads from, if anything, and to what, if anything. One that is so late
// in the period, or so discounted, that both come to nothing does not tell: the new one is what
// the subscription now has.
func (r *reader) turn(sides []side) (from, to side, odd bool) {
	now, _ := r.prices.Of(r.s.PriceID, r.s.ProductID)
	switch len(sides) {
	case 1:
		if only := sides[0]; only.sum > 0 || only.sum == 0 && only.sold.Gives(now) {
			to = only
		}
		return from, to, false
	case 2:
		from, to = sides[0], sides[1]
	default:
		return from, to, true
	}
	free := from.sum == to.sum
	if !free && from.sum > to.sum || free && from.sold.Gives(now) {
		from, to = to, from
	}
	return from, to, from.sum > 0 || to.sum < 0 || free && !to.sold.Gives(now)
}

// lasts is the period in which the credits of a change can be spent: the one that it was
// in, or, billed only with a renewal, the one that the invoice renews.
func (r *reader) lasts(i stripe.Invoice, changed period) period {
	for _, e := range r.list {
		if e.invoice == i.ID && e.lasts.start.After(changed.start) {
			return e.lasts
		}
	}
	return changed
}
