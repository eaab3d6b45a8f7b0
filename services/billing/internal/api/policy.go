package api

import (
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/rpc"
)

// Policy says who may call each method. What moves money asks identity about the
// account first; reading trusts the token.
func Policy() authn.Policy {
	return authn.Policy{
		billingv1.BillingService_ListPlans_FullMethodName:             authn.Public,
		billingv1.BillingService_GetPortalSignIn_FullMethodName:       authn.Public,
		billingv1.BillingService_CreateCheckoutSession_FullMethodName: authn.Active,
		billingv1.BillingService_SyncCheckoutSession_FullMethodName:   authn.Active,
		billingv1.BillingService_CreatePortalSession_FullMethodName:   authn.Active,
		billingv1.BillingService_GetSubscription_FullMethodName:       authn.Active,
		billingv1.BillingService_GetCredits_FullMethodName:            authn.Active,
		billingv1.BillingService_ListCreditEntries_FullMethodName:     authn.Active,
		billingv1.BillingService_ConsumeCredits_FullMethodName:        authn.ActiveOrServer,
		billingv1.BillingService_HoldCredits_FullMethodName:           authn.ActiveOrServer,
		billingv1.BillingService_SettleCredits_FullMethodName:         authn.ActiveOrServer,
		billingv1.BillingService_ReceiveStripeEvent_FullMethodName:    authn.Internal,
		billingv1.BillingService_GetAccount_FullMethodName:            authn.Admin,
		billingv1.BillingService_AdjustCredits_FullMethodName:         authn.FreshAdmin,
		billingv1.BillingService_SetRenewal_FullMethodName:            authn.FreshAdmin,
		billingv1.BillingService_GetStats_FullMethodName:              authn.Admin,
		billingv1.BillingService_GetFinances_FullMethodName:           authn.Admin,
		billingv1.BillingService_GetMonthEnd_FullMethodName:           authn.FreshAdmin,
		billingv1.BillingService_ListCases_FullMethodName:             authn.Admin,
		billingv1.BillingService_DecideCase_FullMethodName:            authn.FreshAdmin,
		billingv1.BillingService_ExportAccount_FullMethodName:         authn.Internal,
	}
}

// Callers are those besides the gateway: identity, for the operator's command export-account.
func Callers() rpc.Callers {
	return rpc.Callers{billingv1.BillingService_ExportAccount_FullMethodName: {"identity"}}
}
