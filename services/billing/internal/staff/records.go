package staff

import (
	"context"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
)

// The actions in the audit log.
const (
	CreditsAdjusted audit.Name = "credits.adjusted"
	RenewalAllowed  audit.Name = "renewal.allowed"
	RenewalStopped  audit.Name = "renewal.stopped"
	PriceAgreed     audit.Name = "price.agreed"
	PriceDropped    audit.Name = "price.dropped"
	CaseAccepted    audit.Name = "billing_case.accepted"
	CaseGranted     audit.Name = "billing_case.granted"
	CaseIgnored     audit.Name = "billing_case.ignored"
	CaseRetried     audit.Name = "billing_case.retried"
	AccountMoved    audit.Name = "stripe_account.moved"
)

var records = audit.For(auditv1.Publisher_PUBLISHER_BILLING, audit.Terms{
	Actions: []audit.Name{CreditsAdjusted, RenewalAllowed, RenewalStopped, PriceAgreed, PriceDropped, CaseAccepted, CaseGranted, CaseIgnored, CaseRetried, AccountMoved},
	Fields:  []string{"balance", "plan", "credits", "account", "subscriptions", "customers"},
})

// Record appends an action to the outbox in the caller's transaction.
func Record(ctx context.Context, tx bus.DBTX, action audit.Action) error {
	return records.Record(ctx, tx, action)
}

// AsOperator is ctx of a command or a setting: nobody with an account acts.
func AsOperator(ctx context.Context) context.Context { return audit.WithActor(ctx, "operator") }
