package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/local/procs"
	"fledge.dev/deploy/standins/stripe"
)

// Check is a promise that was looked at.
type Check struct {
	Name string
	// Figure is how much was looked at.
	Figure string
	// Problems are where it does not hold.
	Problems []string
}

// eventTypes is how many types of events Stripe's stand-in sends.
const eventTypes = 13

// check compares what we have with what Stripe has, and with what was acknowledged.
func (s *storm) check(ctx context.Context) (checks []Check, err error) {
	for _, look := range []func(context.Context) ([]Check, error){
		s.checkEvents, s.checkSubscriptions, s.checkGrants, s.checkLedger, s.checkCustomers,
	} {
		found, err := look(ctx)
		if err != nil {
			return nil, err
		}
		checks = append(checks, found...)
	}
	return checks, nil
}

func problems(d procs.Difference) (list []string) {
	for _, key := range d.Lost {
		list = append(list, key+" is missing")
	}
	for _, key := range d.Repeated {
		list = append(list, key+" is there more than once")
	}
	return list
}

// same compares what there is with what there must be, each once.
func same(want, got []string) (list []string) {
	l := procs.NewLedger()
	for _, key := range want {
		l.Acknowledged(key)
	}
	d := l.Compare(got)
	list = problems(d)
	for _, key := range d.Unasked {
		list = append(list, key+" should not be there")
	}
	return list
}

func (s *storm) checkEvents(ctx context.Context) ([]Check, error) {
	stored, err := s.column(ctx, `SELECT id FROM stripe_events`)
	if err != nil {
		return nil, err
	}
	var told []string
	kinds := map[string]bool{}
	for e, err := range s.dashboard.V1Events.List(ctx, &sdk.EventListParams{ListParams: sdk.ListParams{Limit: sdk.Int64(100)}}).All(ctx) {
		if err != nil {
			return nil, err
		}
		told = append(told, e.ID)
		kinds[string(e.Type)] = true
	}
	missing := same(told, stored)
	if len(s.customers) >= len(Acts()) && len(kinds) < eventTypes {
		missing = append(missing, fmt.Sprintf("only %d of %d types came up", len(kinds), eventTypes))
	}
	unapplied, err := s.column(ctx, `SELECT format('%s %s is %s %s', type, id, state, reason) FROM stripe_events e
		WHERE state NOT IN ('applied', 'pending') AND NOT (state = 'ignored' AND type IN ('invoice.created', 'charge.dispute.created'))
		OR state = 'pending' AND NOT EXISTS (SELECT FROM jobs.river_job j WHERE j.args->>'id' = e.id AND j.finalized_at IS NULL)`)
	if err != nil {
		return nil, err
	}
	return []Check{
		{"acknowledged deliveries are stored", fmt.Sprint(s.courier.acked.Len()), problems(s.courier.acked.Compare(stored))},
		{"Stripe's events are all there, once", fmt.Sprintf("%d of %d types", len(told), len(kinds)), missing},
		{"none is parked or forgotten", fmt.Sprint(len(stored)), unapplied},
	}, nil
}

func (s *storm) checkSubscriptions(ctx context.Context) ([]Check, error) {
	var want []string
	params := &sdk.SubscriptionListParams{Status: sdk.String("all"), ListParams: sdk.ListParams{Limit: sdk.Int64(100)}}
	for sub, err := range s.dashboard.V1Subscriptions.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, err
		}
		item := sub.Items.Data[0]
		want = append(want, fmt.Sprintf("%s %s %s until %d, cancelled at %d, shown as %s", sub.ID, sub.Status, item.Price.ID,
			item.CurrentPeriodEnd, sub.CancelAt, shown(sub)))
	}
	got, err := s.column(ctx, `SELECT format('%s %s %s until %s, cancelled at %s, shown as %s', id, stripe_status, price_id,
		extract(epoch FROM period_end)::bigint, coalesce(extract(epoch FROM cancel_at)::bigint, 0), status) FROM subscriptions`)
	if err != nil {
		return nil, err
	}
	return []Check{{"subscriptions are as at Stripe", fmt.Sprint(len(want)), same(want, got)}}, nil
}

// shown is the status that a person sees.
func shown(s *sdk.Subscription) string {
	switch {
	case s.Status == sdk.SubscriptionStatusCanceled:
		return "free"
	case s.Status == sdk.SubscriptionStatusUnpaid:
		return "past_due"
	case s.Status == sdk.SubscriptionStatusActive && (s.CancelAt != 0 || s.CancelAtPeriodEnd):
		return "cancelled"
	}
	return string(s.Status)
}

// checkGrants expects one grant for each period that was paid and for each rise of
// plan within it, by what Stripe's invoices say.
func (s *storm) checkGrants(ctx context.Context) ([]Check, error) {
	var want []string
	starts := map[string][]int64{} // of a subscription's periods
	ends := map[string]int64{}     // of a period, by its base
	rises := map[string][]int64{}
	for i, err := range s.dashboard.V1Invoices.List(ctx, &sdk.InvoiceListParams{
		Status: sdk.String("paid"), ListParams: sdk.ListParams{Limit: sdk.Int64(100)},
	}).All(ctx) {
		if err != nil {
			return nil, err
		}
		id := i.Parent.SubscriptionDetails.Subscription.ID
		for _, l := range i.Lines.Data {
			price := l.Pricing.PriceDetails.Price.ID
			switch {
			case i.BillingReason != "subscription_update" && price == stripe.ProPrice:
				want = append(want, fmt.Sprintf("%s/%d/base of 5000", id, l.Period.Start))
				starts[id] = append(starts[id], l.Period.Start)
				ends[fmt.Sprint(id, l.Period.Start)] = l.Period.End
			case i.BillingReason != "subscription_update":
				want = append(want, fmt.Sprintf("%s/%d/base of 10000", id, l.Period.Start))
				starts[id] = append(starts[id], l.Period.Start)
				ends[fmt.Sprint(id, l.Period.Start)] = l.Period.End
			case price == stripe.BusinessPrice && l.Amount > 0:
				rises[id] = append(rises[id], l.Period.Start)
			}
		}
	}
	// A plan that rises twice in a period is granted once, by the first.
	first := map[string]int64{}
	for id, moments := range rises {
		slices.Sort(moments)
		for _, at := range moments {
			begun := slices.Max(slices.DeleteFunc(slices.Clone(starts[id]), func(start int64) bool { return start > at }))
			fact := fmt.Sprintf("%s/%d/upgrade:business", id, begun)
			if _, risen := first[fact]; !risen {
				end := ends[fmt.Sprint(id, begun)]
				first[fact] = (5000*(end-at) + end - begun - 1) / (end - begun)
			}
		}
	}
	for fact, amount := range first {
		want = append(want, fmt.Sprintf("%s of %d", fact, amount))
	}
	got, err := s.column(ctx, `SELECT format('%s of %s', fact, amount) FROM credit_grants`)
	if err != nil {
		return nil, err
	}
	return []Check{{"one grant for (subscription, period, kind)", fmt.Sprint(len(want)), same(want, got)}}, nil
}

func (s *storm) checkLedger(ctx context.Context) ([]Check, error) {
	var back []string
	for r, err := range s.dashboard.V1Refunds.List(ctx, &sdk.RefundListParams{ListParams: sdk.ListParams{Limit: sdk.Int64(100)}}).All(ctx) {
		if err != nil {
			return nil, err
		}
		back = append(back, "refund/"+r.ID)
	}
	for d, err := range s.dashboard.V1Disputes.List(ctx, &sdk.DisputeListParams{ListParams: sdk.ListParams{Limit: sdk.Int64(100)}}).All(ctx) {
		if err != nil {
			return nil, err
		}
		if d.Status == sdk.DisputeStatusLost {
			back = append(back, "dispute/"+d.ID)
		}
	}
	withdrawn, err := s.column(ctx, `SELECT fact FROM credit_withdrawals`)
	if err != nil {
		return nil, err
	}
	keys, err := s.column(ctx, `SELECT key FROM credit_keys`)
	if err != nil {
		return nil, err
	}
	checks := []Check{
		{"money that went back took credits, once", fmt.Sprint(len(back)), same(back, withdrawn)},
		{"acknowledged spends are there, once", fmt.Sprint(s.spent.Len()), problems(s.spent.Compare(keys))},
	}
	for _, c := range []struct{ name, query, problem string }{
		{"balance is the sum of the entries", `SELECT count(*) FROM credit_accounts`,
			`SELECT format('%s has %s, its entries make %s', user_id, balance, total) FROM credit_accounts a,
			LATERAL (SELECT coalesce(sum(amount), 0) AS total FROM credit_entries e WHERE e.user_id = a.user_id) t WHERE balance <> total`},
		{"balance is what is left of the grants", `SELECT count(*) FROM credit_grants`,
			`SELECT format('%s has %s, its grants %s', user_id, balance, total) FROM credit_accounts a,
			LATERAL (SELECT coalesce(sum(remaining), 0) AS total FROM credit_grants g WHERE g.user_id = a.user_id) t WHERE balance <> total`},
		{"no balance is or was below zero", `SELECT count(*) FROM credit_entries`,
			`SELECT format('%s has %s after entry %s', user_id, balance_after, number) FROM credit_entries WHERE balance_after < 0
			UNION ALL SELECT format('%s has %s', user_id, balance) FROM credit_accounts WHERE balance < 0 OR held < 0`},
		{"a key spends its amount, once", `SELECT count(*) FROM credit_keys`, fmt.Sprintf(
			`SELECT format('%%s spent %%s with %%s keys', user_id, spent, keys) FROM
			(SELECT user_id, count(*) AS keys FROM credit_keys GROUP BY user_id) k FULL JOIN
			(SELECT user_id, -sum(amount) AS spent FROM credit_entries WHERE kind = 'consume' GROUP BY user_id) e USING (user_id)
			WHERE spent IS DISTINCT FROM keys * %d`, spendCost)},
	} {
		var n int
		if err := s.database.QueryRow(ctx, c.query).Scan(&n); err != nil {
			return nil, err
		}
		found, err := s.column(ctx, c.problem)
		if err != nil {
			return nil, err
		}
		checks = append(checks, Check{c.name, fmt.Sprint(n), found})
	}
	return checks, nil
}

// checkCustomers expects one customer and one subscription for each person, however
// often they were cut off while they bought.
func (s *storm) checkCustomers(ctx context.Context) ([]Check, error) {
	var want, got, paid []string
	for _, c := range s.customers {
		want = append(want, c.email+" "+c.customerID)
	}
	for c, err := range s.dashboard.V1Customers.List(ctx, &sdk.CustomerListParams{ListParams: sdk.ListParams{Limit: sdk.Int64(100)}}).All(ctx) {
		if err != nil {
			return nil, err
		}
		got = append(got, strings.ToLower(c.Email)+" "+c.ID)
	}
	bound, err := s.column(ctx, `SELECT customer_id FROM customers`)
	if err != nil {
		return nil, err
	}
	for sub, err := range s.dashboard.V1Subscriptions.List(ctx, &sdk.SubscriptionListParams{
		Status: sdk.String("all"), ListParams: sdk.ListParams{Limit: sdk.Int64(100)},
	}).All(ctx) {
		if err != nil {
			return nil, err
		}
		paid = append(paid, sub.Customer.ID)
	}
	s.mu.Lock()
	found := slices.Clone(s.notes)
	s.mu.Unlock()
	return []Check{
		{"each person is one customer of Stripe's", fmt.Sprint(len(want)), same(want, got)},
		{"each has one checkout and pays once", fmt.Sprint(len(paid)), append(found, same(bound, paid)...)},
	}, nil
}
