package api_test

import (
	"testing"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/api"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
)

func TestWhoMayCallEachMethod(t *testing.T) {
	authntest.Matrix(t, &billingv1.BillingService_ServiceDesc, api.Policy(), map[string]authn.Access{
		"ListPlans":             authn.Public,
		"CreateCheckoutSession": authn.Active,
		"SyncCheckoutSession":   authn.Active,
		"CreatePortalSession":   authn.Active,
		"GetSubscription":       authn.User,
		"GetCredits":            authn.User,
		"ListCreditEntries":     authn.User,
		"ConsumeCredits":        authn.Active,
		"HoldCredits":           authn.Active,
		"SettleCredits":         authn.Active,
		"ReceiveStripeEvent":    authn.Internal,
		"GetStats":              authn.Admin,
		"ExportAccount":         authn.Internal,
	})
}

// TestStaffOnlyRead: a method by which they change something needs a row that
// looks for its audit record.
func TestStaffOnlyRead(t *testing.T) {
	audittest.Methods(t, api.Policy(), nil, map[string]audittest.Call{"GetStats": audittest.Reads})
}
