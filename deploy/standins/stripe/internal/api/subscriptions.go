package api

import (
	"slices"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

func subscriptionEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/subscriptions":         listSubscriptions,
		"GET /v1/subscriptions/{id}":    retrieve(subscription, (*account.Tx).EncodeSubscription),
		"POST /v1/subscriptions/{id}":   updateSubscription,
		"DELETE /v1/subscriptions/{id}": cancelSubscription,

		"POST /v1/subscription_schedules/{id}/release": releaseSchedule,
	}
}

func subscription(tx *account.Tx, id string) (*account.Subscription, error) {
	return tx.Subscription(id, "id")
}

func listSubscriptions(tx *account.Tx, r *request) (account.Object, error) {
	w, of, price, created := r.window(), r.text("customer"), r.text("price"), r.span("created")
	ends, starts := r.span("current_period_end"), r.span("current_period_start")
	status := r.choice("status", "active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "paused", "all", "ended")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Subscriptions.Newest(func(s *account.Subscription) bool {
		return matches(of, s.Customer) && matches(price, s.Price) && created(s.Created) && ends(s.PeriodEnd) &&
			starts(s.PeriodStart) && inStatus(s, status)
	})
	return page("/v1/subscriptions", w, rows, (*account.Subscription).Key, tx.EncodeSubscription)
}

// inStatus leaves the canceled ones out unless they are asked for, as Stripe does.
func inStatus(s *account.Subscription, status string) bool {
	switch status {
	case "all":
		return true
	case "":
		return !s.Ended()
	case "ended":
		return s.Ended()
	}
	return s.Status == status
}

// update is what POST /v1/subscriptions/{id} asks for.
type update struct {
	change               *account.Change
	item, prorate        string
	strict, reset        bool
	atPeriodEnd          *string
	cancelAt             *string
	cancelOn             int64
	card                 *string
	metadata             map[string]string
	comment, reasonGiven *string
}

func (r *request) update() update {
	u := update{
		atPeriodEnd: r.optional("cancel_at_period_end"), cancelAt: r.optional("cancel_at"), metadata: r.words("metadata"),
		card: r.optional("default_payment_method"), comment: r.optional("cancellation_details[comment]"),
		reasonGiven: r.optional("cancellation_details[feedback]"),
		prorate:     r.choice("proration_behavior", account.ProrateNow, account.ProrateLater, account.ProrateNever),
		strict:      r.choice("payment_behavior", "allow_incomplete", "default_incomplete", "error_if_incomplete") == "error_if_incomplete",
		reset:       r.choice("billing_cycle_anchor", "unchanged", "now") == "now",
	}
	r.boolean("cancel_at_period_end")
	r.boolean("off_session")
	if u.prorate == "" {
		u.prorate = account.ProrateLater
	}
	if u.cancelAt != nil && !slices.Contains([]string{"", "min_period_end", "max_period_end"}, *u.cancelAt) {
		u.cancelOn = r.integer("cancel_at", 0)
	}
	if u.cancelAt != nil && *u.cancelAt != "" && u.atPeriodEnd != nil {
		r.fail(account.Refuse("", "cancel_at", "You may only specify one of these parameters: cancel_at, cancel_at_period_end."))
	}
	if item := r.single("items"); r.has(item+"[price]") || r.has(item+"[quantity]") {
		u.item = r.required(item + "[id]")
		u.change = &account.Change{Price: r.text(item + "[price]"), Quantity: r.integer(item+"[quantity]", 0)}
	}
	if u.reset && u.change != nil {
		r.fail(account.Refuse("", "billing_cycle_anchor", "The stand-in resets a cycle or changes a plan, not both."))
	}
	return u
}

func updateSubscription(tx *account.Tx, r *request) (account.Object, error) {
	u := r.update()
	if err := r.done(); err != nil {
		return nil, err
	}
	s, err := subscription(tx, r.id())
	if err != nil {
		return nil, err
	}
	if err := u.check(tx, s); err != nil {
		return nil, err
	}
	if u.change != nil {
		if err := tx.ChangePlan(s, *u.change, u.prorate, u.strict); err != nil {
			return nil, err
		}
	}
	if u.reset {
		if err := tx.Reset(s, u.prorate); err != nil {
			return nil, err
		}
	}
	tx.Annotate(s, u.metadata, u.card, u.comment, u.reasonGiven)
	switch {
	case u.cancelOn > 0:
		tx.CancelOn(s, u.cancelOn, false)
	case u.cancelAt != nil && *u.cancelAt != "":
		tx.CancelAtPeriodEnd(s, false)
	case u.atPeriodEnd != nil && *u.atPeriodEnd == "true":
		tx.CancelAtPeriodEnd(s, true)
	case u.atPeriodEnd != nil || u.cancelAt != nil:
		tx.Keep(s)
	}
	return tx.EncodeSubscription(s), nil
}

// check refuses before anything is changed, and completes the change.
func (u *update) check(tx *account.Tx, s *account.Subscription) error {
	more := u.change != nil || u.atPeriodEnd != nil || u.cancelAt != nil || u.card != nil
	if s.Ended() && more {
		return account.Refuse("", "", "A canceled subscription can only update its cancellation_details and metadata.")
	}
	if s.Next != nil && (u.atPeriodEnd != nil || u.cancelAt != nil) {
		return account.Refuse("", "", "The subscription is managed by the subscription schedule `%s`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.", s.Next.Schedule)
	}
	if u.cancelOn > 0 && u.cancelOn <= tx.Now() {
		return account.Refuse("", "cancel_at", "`cancel_at` must be in the future.")
	}
	if u.card != nil {
		if found := tx.Cards.Get(*u.card); found == nil || found.Customer != s.Customer {
			return account.Refuse("resource_missing", "default_payment_method", "No such PaymentMethod: '%s'", *u.card)
		}
	}
	if u.change == nil {
		return nil
	}
	if u.item != s.Item {
		return account.Refuse("resource_missing", "items[0][id]", "No such subscription item: '%s'", u.item)
	}
	if u.change.Price == "" {
		u.change.Price = s.Price
	}
	if u.change.Quantity == 0 {
		u.change.Quantity = s.Quantity
	}
	return nil
}

func cancelSubscription(tx *account.Tx, r *request) (account.Object, error) {
	comment, feedback := r.optional("cancellation_details[comment]"), r.optional("cancellation_details[feedback]")
	if r.boolean("prorate") || r.boolean("invoice_now") {
		r.fail(account.Refuse("", "prorate", "The stand-in cancels without a last invoice."))
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	s, err := subscription(tx, r.id())
	if err != nil {
		return nil, err
	}
	if s.Ended() {
		return nil, unknown("subscription", s.ID)
	}
	tx.Annotate(s, nil, nil, comment, feedback)
	tx.Cancel(s, "cancellation_requested")
	return tx.EncodeSubscription(s), nil
}

func releaseSchedule(tx *account.Tx, r *request) (account.Object, error) {
	if err := r.done(); err != nil {
		return nil, err
	}
	return tx.ReleaseSchedule(r.id())
}
