package account

import (
	"slices"
	"time"
)

// What a portal session may lead to at once: flow_data[type].
const (
	FlowConfirm = "subscription_update_confirm"
	FlowUpdate  = "subscription_update"
	FlowCancel  = "subscription_cancel"
	FlowCard    = "payment_method_update"
)

// portalIdle is how long a portal session lives after it was used last. Its link
// opens the customer's billing for whoever has it.
const portalIdle = time.Hour

// Portal is a session of the hosted billing portal
// (https://docs.stripe.com/api/customer_portal/sessions).
type Portal struct {
	ID, Secret, Customer, ReturnURL string
	// Configuration is what it offers; empty for the account's default, which is the same.
	Configuration string
	// Flow is one of the above, or empty for the front page. Subscription and
	// Change say what it is about, AfterURL where it ends.
	Flow, Subscription, AfterURL string
	Change                       Change
	Created                      int64
	// Until is real time, so that moving the account's on closes no session.
	Until time.Time
}

// Key identifies the row.
func (p *Portal) Key() string { return p.ID }

// CreatePortal opens a session for what p holds.
func (tx *Tx) CreatePortal(p Portal) (*Portal, error) {
	if _, err := tx.Customer(p.Customer, "customer"); err != nil {
		return nil, err
	}
	if p.Configuration == "" && tx.account.opts.NoDefaultPortal {
		return nil, Refuse("", "configuration", "No configuration provided and your default configuration has not been created.")
	}
	configured := tx.Configurations.Get(p.Configuration)
	switch {
	case p.Configuration == "":
	case configured == nil:
		return nil, missing("configuration", p.Configuration, "configuration")
	case configured.Inactive:
		return nil, Refuse("", "configuration", "The configuration %s is not active.", p.Configuration)
	}
	for param, address := range map[string]string{"return_url": p.ReturnURL, "flow_data[after_completion][redirect][return_url]": p.AfterURL} {
		if err := checkURL(param, address); err != nil && address != "" {
			return nil, err
		}
	}
	if c := tx.Configurations.Get(p.Configuration); c != nil && !c.Changes && (p.Flow == FlowConfirm || p.Flow == FlowUpdate) {
		return nil, Refuse("", "flow_data[type]", "This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.")
	}
	if err := tx.checkFlow(&p); err != nil {
		return nil, err
	}
	p.ID, p.Secret, p.Created = NewID("bps_"), "test_"+secret(43), tx.at
	p.Until = tx.account.opts.Clock.Now().Add(portalIdle)
	tx.Portals.put(&p)
	return &p, nil
}

func (tx *Tx) checkFlow(p *Portal) error {
	if p.Flow == "" || p.Flow == FlowCard {
		return nil
	}
	param := "flow_data[" + p.Flow + "][subscription]"
	s, err := tx.Subscription(p.Subscription, param)
	if err != nil {
		return err
	}
	switch {
	case s.Customer != p.Customer:
		return missing("subscription", p.Subscription, param)
	case s.Ended():
		return Refuse("", param, "This subscription cannot be changed because it has been canceled.")
	case p.Flow == FlowCancel && s.CancelAt > 0:
		return Refuse("", param, "This subscription cannot be canceled because it is already set to be canceled.")
	case (p.Flow == FlowConfirm || p.Flow == FlowUpdate) && len(s.Beside) > 0:
		// https://docs.stripe.com/customer-management#customer-portal-limitations; the words are the stand-in's
		return Refuse("", param, "This subscription cannot be updated because it has several products.")
	case (p.Flow == FlowConfirm || p.Flow == FlowUpdate) && s.DaysUntilDue > 0:
		return Refuse("", param, "This subscription cannot be updated because its invoices are sent.")
	case p.Flow == FlowConfirm && p.Change.Price == s.Price && p.Change.Quantity == s.Quantity:
		return Refuse("", "flow_data[subscription_update_confirm][items]", "The subscription update would not change the subscription.")
	case p.Flow == FlowConfirm:
		return tx.changeable(s, p.Change)
	}
	return nil
}

// PortalBySecret finds a session that is still good, and keeps it so for another
// while; nil when there is none.
func (tx *Tx) PortalBySecret(secret string) *Portal {
	now := tx.account.opts.Clock.Now()
	i := slices.IndexFunc(tx.Portals.rows, func(p *Portal) bool { return p.Secret == secret })
	if i < 0 || now.After(tx.Portals.rows[i].Until) {
		return nil
	}
	tx.Portals.rows[i].Until = now.Add(portalIdle)
	return tx.Portals.rows[i]
}

// EncodePortal returns the API object.
func (tx *Tx) EncodePortal(p *Portal) Object {
	configuration := p.Configuration
	if configuration == "" {
		configuration = "bpc_local"
	}
	object := Object{
		"id": p.ID, "object": "billing_portal.session", "configuration": configuration, "created": p.Created,
		"customer": p.Customer, "customer_account": nil, "flow": nil, "livemode": false, "locale": nil,
		"on_behalf_of": nil, "return_url": text(p.ReturnURL), "url": tx.BaseURL() + "/p/session/" + p.Secret,
	}
	if p.Flow == "" {
		return object
	}
	after := Object{"type": "portal_homepage", "hosted_confirmation": nil, "redirect": nil}
	if p.AfterURL != "" {
		after["type"], after["redirect"] = "redirect", Object{"return_url": p.AfterURL}
	}
	flow := Object{
		"type": p.Flow, "after_completion": after, FlowCancel: nil, FlowUpdate: nil, FlowConfirm: nil,
	}
	switch p.Flow {
	case FlowCancel:
		flow[FlowCancel] = Object{"retention": nil, "subscription": p.Subscription}
	case FlowUpdate:
		flow[FlowUpdate] = Object{"subscription": p.Subscription}
	case FlowConfirm:
		item := Object{"id": tx.Subscriptions.Get(p.Subscription).Item, "price": p.Change.Price, "quantity": p.Change.Quantity}
		flow[FlowConfirm] = Object{"discounts": nil, "items": []Object{item}, "subscription": p.Subscription}
	}
	object["flow"] = flow
	return object
}
