package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// eventTypes is how many types of events the acts cause at Stripe's stand-in.
const eventTypes = 13

// checks compare what we have with what Stripe has, and with what was acknowledged.
func (m *market) checks() []Check {
	return []Check{
		kept(delivery, "billing", "SELECT id FROM stripe_events"),
		kept(spend, "billing", "SELECT key FROM credit_keys"),
		m.like("Stripe's events are all there, once", m.events, "SELECT id FROM stripe_events"),
		none("every type of event came up, for enough people", fmt.Sprintf(`SELECT format('only %%s of %d', count(DISTINCT type)) FROM stripe_events
			HAVING count(DISTINCT type) < %[1]d AND (SELECT count(*) FROM customers) >= %d`, eventTypes, len(allActs)), "SELECT count(DISTINCT type) FROM stripe_events"),
		none("no event is parked or forgotten", `SELECT format('%s %s is %s %s', type, id, state, reason) FROM stripe_events e
			WHERE state NOT IN ('applied', 'pending') AND NOT (state = 'ignored' AND type = 'invoice.created')
			OR state = 'pending' AND NOT EXISTS (SELECT FROM jobs.river_job j WHERE j.args->>'id' = e.id AND j.finalized_at IS NULL)`,
			"SELECT count(*) FROM stripe_events"),
		m.like("subscriptions are as at Stripe", m.subscriptions, `SELECT format('%s %s %s until %s, cancelled at %s, shown as %s', id, stripe_status, price_id,
			extract(epoch FROM period_end)::bigint, coalesce(extract(epoch FROM cancel_at)::bigint, 0), status) FROM subscriptions`),
		m.like("one grant for (subscription, period, kind)", m.grants, "SELECT format('%s of %s', fact, amount) FROM credit_grants WHERE fact NOT LIKE '%/back'"),
		m.like("money that went back took credits, once", m.moneyReturned, "SELECT fact FROM credit_withdrawals WHERE fact NOT IN (SELECT fact FROM credit_restorations)"),
		none("balance is the sum of the entries", `SELECT format('%s has %s, its entries make %s', user_id, balance, total) FROM credit_accounts a,
			LATERAL (SELECT coalesce(sum(amount), 0) AS total FROM credit_entries e WHERE e.user_id = a.user_id) t WHERE balance <> total`,
			"SELECT count(*) FROM credit_accounts"),
		none("balance is what is left of the grants", `SELECT format('%s has %s, its grants %s', user_id, balance, total) FROM credit_accounts a,
			LATERAL (SELECT coalesce(sum(remaining), 0) AS total FROM credit_grants g WHERE g.user_id = a.user_id) t WHERE balance <> total`,
			"SELECT count(*) FROM credit_grants"),
		none("no balance is or was below zero", `SELECT format('%s has %s after entry %s', user_id, balance_after, number) FROM credit_entries WHERE balance_after < 0
			UNION ALL SELECT format('%s has %s', user_id, balance) FROM credit_accounts WHERE balance < 0 OR held < 0`,
			"SELECT count(*) FROM credit_entries"),
		none("a key spends its amount, once", fmt.Sprintf(`SELECT format('%%s spent %%s with %%s keys', user_id, spent, keys) FROM
			(SELECT user_id, count(*) AS keys FROM credit_keys GROUP BY user_id) k FULL JOIN
			(SELECT user_id, -sum(amount) AS spent FROM credit_entries WHERE kind = 'consume' GROUP BY user_id) e USING (user_id)
			WHERE spent IS DISTINCT FROM keys * %d`, int(100*spendAmount)), "SELECT count(*) FROM credit_keys"),
		{Name: "each person is one customer of Stripe's", Look: m.oneCustomer},
		{Name: "each has one checkout", Look: m.oneCheckout},
		m.like("each pays for one subscription", func(ctx context.Context) ([]string, error) {
			return m.everySubscription(ctx, func(s *sdk.Subscription) string { return s.Customer.ID })
		}, "SELECT customer_id FROM customers"),
	}
}

// like: the rows of billing's database are what Stripe's lists say, each once.
func (m *market) like(name string, said func(context.Context) ([]string, error), rows string) Check {
	return Check{Name: name, Look: func(ctx context.Context, r *Run) (string, []string, error) {
		want, err := said(ctx)
		if err != nil {
			return "", nil, err
		}
		got, err := r.databases.column(ctx, "billing", rows)
		return fmt.Sprint(len(want)), same(want, got), err
	}}
}

var hundred = sdk.ListParams{Limit: sdk.Int64(100)}

// texts collects what a list of Stripe's says; "" is left out.
func texts[T any](all sdk.Seq2[T, error], text func(T) string) (list []string, err error) {
	for item, err := range all {
		if err != nil {
			return nil, err
		}
		if t := text(item); t != "" {
			list = append(list, t)
		}
	}
	return list, nil
}

func (m *market) events(ctx context.Context) ([]string, error) {
	return texts(m.dashboard.V1Events.List(ctx, &sdk.EventListParams{ListParams: hundred}).All(ctx), func(e *sdk.Event) string { return e.ID })
}

func (m *market) everySubscription(ctx context.Context, text func(*sdk.Subscription) string) ([]string, error) {
	return texts(m.dashboard.V1Subscriptions.List(ctx, &sdk.SubscriptionListParams{Status: sdk.String("all"), ListParams: hundred}).All(ctx), text)
}

func (m *market) subscriptions(ctx context.Context) ([]string, error) {
	return m.everySubscription(ctx, func(s *sdk.Subscription) string {
		item := s.Items.Data[0]
		return fmt.Sprintf("%s %s %s until %d, cancelled at %d, shown as %s", s.ID, s.Status, item.Price.ID, item.CurrentPeriodEnd, s.CancelAt, shown(s))
	})
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

// grants are one for each period that was paid and one for the first rise of plan within
// it, by what Stripe's invoices say.
func (m *market) grants(ctx context.Context) (want []string, err error) {
	type period struct {
		subscription string
		start, end   int64
	}
	var periods, rises []period
	for i, err := range m.dashboard.V1Invoices.List(ctx, &sdk.InvoiceListParams{Status: sdk.String("paid"), ListParams: hundred}).All(ctx) {
		if err != nil {
			return nil, err
		}
		for _, l := range i.Lines.Data {
			p := period{i.Parent.SubscriptionDetails.Subscription.ID, l.Period.Start, l.Period.End}
			price := l.Pricing.PriceDetails.Price.ID
			switch {
			case i.BillingReason != "subscription_update":
				amount := map[bool]int{true: 5000, false: 10000}[price == stripe.ProPrice]
				want = append(want, fmt.Sprintf("%s/%d/base of %d", p.subscription, p.start, amount))
				periods = append(periods, p)
			case price == stripe.BusinessPrice && l.Amount > 0:
				rises = append(rises, p)
			}
		}
	}
	slices.SortFunc(periods, func(a, b period) int { return int(b.start - a.start) })
	slices.SortFunc(rises, func(a, b period) int { return int(a.start - b.start) })
	risen := map[period]bool{}
	for _, rise := range rises {
		i := slices.IndexFunc(periods, func(p period) bool { return p.subscription == rise.subscription && p.start <= rise.start })
		in := periods[i] // the last that had begun
		if !risen[in] {
			risen[in] = true
			length := in.end - in.start
			want = append(want, fmt.Sprintf("%s/%d/upgrade:business of %d", in.subscription, in.start, (5000*(in.end-rise.start)+length-1)/length))
		}
	}
	return want, nil
}

// moneyReturned are refunds and lost disputes.
func (m *market) moneyReturned(ctx context.Context) ([]string, error) {
	back, err := texts(m.dashboard.V1Refunds.List(ctx, &sdk.RefundListParams{ListParams: hundred}).All(ctx), func(r *sdk.Refund) string { return "refund/" + r.ID })
	if err != nil {
		return nil, err
	}
	lost, err := texts(m.dashboard.V1Disputes.List(ctx, &sdk.DisputeListParams{ListParams: hundred}).All(ctx), func(d *sdk.Dispute) string {
		if d.Status != sdk.DisputeStatusLost {
			return ""
		}
		return "dispute/" + d.ID
	})
	return append(back, lost...), err
}

// oneCustomer: however often people were cut off while they bought.
func (m *market) oneCustomer(ctx context.Context, _ *Run) (figure string, problems []string, err error) {
	var want []string
	for _, c := range m.customers {
		want = append(want, c.email+" "+c.customerID)
	}
	got, err := texts(m.dashboard.V1Customers.List(ctx, &sdk.CustomerListParams{ListParams: hundred}).All(ctx), func(c *sdk.Customer) string {
		return strings.ToLower(c.Email) + " " + c.ID
	})
	return fmt.Sprint(len(want)), same(want, got), err
}

func (m *market) oneCheckout(context.Context, *Run) (figure string, problems []string, err error) {
	for _, c := range m.customers {
		if c.checkouts[0] != c.checkouts[1] {
			problems = append(problems, fmt.Sprintf("%s has two, %s and %s", c.email, c.checkouts[0], c.checkouts[1]))
		}
	}
	return fmt.Sprint(len(m.customers)), problems, nil
}
