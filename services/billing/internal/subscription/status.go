package subscription

import (
	"time"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
)

// What we call what a subscription is in. Others go by Stripe's word.
const (
	Active    = "active"
	Cancelled = "cancelled" // paid for until a date
	PastDue   = "past_due"
	Free      = "free" // ended
	// Processing is one that was never paid and whose first payment is on its way.
	Processing = "processing"
	// Paused is Stripe's word for one that is not billed, and ours for one whose payments are not collected.
	Paused = "paused"
	// Incomplete is Stripe's word for one that was never paid, and that ends unless it is soon.
	Incomplete = "incomplete"
	// Unpaid is Stripe's word for one that it has stopped trying to collect.
	Unpaid = "unpaid"
)

// StatusOf turns Stripe's word into ours.
func StatusOf(s stripe.Subscription) string {
	switch s.Status {
	case "active", "trialing":
		switch {
		case s.Scheduled():
			return Cancelled
		case s.Held:
			return Paused
		}
		return Active
	case Unpaid:
		// Whoever pays the invoice has the subscription back: buying another one beside it would
		// be paid twice.
		return PastDue
	case "canceled", "incomplete_expired":
		return Free
	default:
		return s.Status
	}
}

// current picks what an account is shown of its subscriptions, which come newest
// first: one that is paid for before one that is not, one that has ended or never begun not at all.
func current(rows []db.ListSubscriptionsRow) (row db.ListSubscriptionsRow, ok bool) {
	rank := map[string]int{Active: 5, Cancelled: 4, PastDue: 3, Processing: 2, Free: 0, Incomplete: 0}
	best := 0
	for _, candidate := range rows {
		place, named := rank[candidate.Status]
		if !named {
			place = 1
		}
		if place > best {
			row, best = candidate, place
		}
	}
	return row, best > 0
}

func shownEnd(row db.ListSubscriptionsRow) time.Time {
	if row.Status == Cancelled && row.CancelAt != nil {
		return row.CancelAt.UTC()
	}
	return row.PeriodEnd.UTC()
}
