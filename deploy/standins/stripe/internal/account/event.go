package account

import "encoding/json"

// The events that the stand-in sends.
const (
	EventCheckoutCompleted    = "checkout.session.completed"
	EventCheckoutArrived      = "checkout.session.async_payment_succeeded"
	EventCheckoutFailed       = "checkout.session.async_payment_failed"
	EventCustomerDeleted      = "customer.deleted"
	EventSubscriptionCreated  = "customer.subscription.created"
	EventSubscriptionUpdated  = "customer.subscription.updated"
	EventSubscriptionDeleted  = "customer.subscription.deleted"
	EventSubscriptionPaused   = "customer.subscription.paused"
	EventSubscriptionResumed  = "customer.subscription.resumed"
	EventInvoiceCreated       = "invoice.created"
	EventInvoicePaid          = "invoice.paid"
	EventInvoicePaymentOK     = "invoice.payment_succeeded"
	EventInvoicePaymentFailed = "invoice.payment_failed"
	EventInvoiceUpdated       = "invoice.updated"
	EventPaymentAsks          = "invoice.payment_action_required"
	EventInvoiceVoided        = "invoice.voided"
	EventInvoiceGivenUp       = "invoice.marked_uncollectible"
	EventPaymentProcessing    = "payment_intent.processing"
	EventChargeRefunded       = "charge.refunded"
	EventRefundUpdated        = "refund.updated"
	EventRefundFailed         = "refund.failed"
	EventDisputeCreated       = "charge.dispute.created"
	EventDisputeClosed        = "charge.dispute.closed"
	EventWarned               = "radar.early_fraud_warning.created"
	EventWarningUpdated       = "radar.early_fraud_warning.updated"
)

// EventTypes lists them.
func EventTypes() []string {
	return []string{
		EventCheckoutCompleted, EventCheckoutArrived, EventCheckoutFailed, EventCustomerDeleted, EventSubscriptionCreated, EventSubscriptionUpdated,
		EventSubscriptionDeleted, EventSubscriptionPaused, EventSubscriptionResumed, EventInvoiceCreated, EventInvoicePaid, EventInvoicePaymentOK,
		EventInvoicePaymentFailed, EventInvoiceUpdated, EventInvoiceVoided, EventInvoiceGivenUp, EventPaymentProcessing, EventChargeRefunded, EventRefundUpdated, EventRefundFailed, EventDisputeCreated,
		EventDisputeClosed, EventWarned, EventWarningUpdated,
	}
}

// Event tells of a change (https://docs.stripe.com/api/events). Object is what
// the thing looked like right after it, for good.
type Event struct {
	ID, Type  string
	Created   int64
	Object    json.RawMessage
	Previous  json.RawMessage
	Request   Request
	Delivered bool
}

// Key identifies the row.
func (e *Event) Key() string { return e.ID }

func (tx *Tx) emit(kind string, object, previous Object) {
	event := &Event{ID: NewID("evt_"), Type: kind, Created: tx.at, Object: encodeJSON(object), Request: tx.request}
	if previous != nil {
		event.Previous = encodeJSON(previous)
	}
	tx.Events.put(event)
	tx.events = append(tx.events, event)
}

func encodeJSON(object Object) json.RawMessage {
	content, err := json.Marshal(object)
	if err != nil {
		panic(err) // objects are made of strings, numbers, lists and maps
	}
	return content
}

// EncodeEvent returns the API object, which is also what the webhook delivers.
func (tx *Tx) EncodeEvent(e *Event) Object { return e.Encode() }

// Encode is the same for those who are not in an Update. An event does not change
// after it was published, but for Delivered, which belongs to the account.
func (e *Event) Encode() Object {
	data := Object{"object": e.Object}
	if e.Previous != nil {
		data["previous_attributes"] = e.Previous
	}
	return Object{
		"id": e.ID, "object": "event", "api_version": APIVersion, "created": e.Created, "data": data, "livemode": false,
		"pending_webhooks": 1, "type": e.Type,
		"request": Object{"id": text(e.Request.ID), "idempotency_key": text(e.Request.IdempotencyKey)},
	}
}
