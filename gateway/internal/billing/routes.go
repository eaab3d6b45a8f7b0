// Package billing serves the routes of plans, subscriptions and credits.
package billing

import (
	"log/slog"
	"net/http"
	"time"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/clock"
)

type handlers struct {
	billing  billingv1.BillingServiceClient
	identity identityv1.IdentityServiceClient
	site     *route.Site
	csv      route.CSV
	clock    clock.Clock
	log      *slog.Logger
}

// Routes returns the routes. Those that wait for Stripe may take as long as stripeBudget.
func Routes(services *backend.Services, site *route.Site, csv route.CSV, clk clock.Clock, log *slog.Logger, stripeBudget time.Duration) []route.Route {
	h := &handlers{billing: services.Billing, identity: services.Identity, site: site, csv: csv, clock: clk, log: log}
	get, post := http.MethodGet, http.MethodPost
	return []route.Route{
		{Method: get, Path: "/api/get-plans", Access: route.Anyone, Handle: h.getPlans},
		{Method: post, Path: "/api/create-checkout-session", Access: route.User, Limit: route.Checkout, Objective: true, Budget: stripeBudget, Handle: route.JSON(h.createCheckoutSession)},
		{Method: post, Path: "/api/sync-checkout-session", Access: route.User, Limit: route.CheckoutSync, Budget: stripeBudget, Handle: route.JSON(h.syncCheckoutSession)},
		{Method: post, Path: "/api/create-portal-session", Access: route.User, Limit: route.Checkout, Budget: stripeBudget, Handle: route.JSON(h.createPortalSession)},
		{Method: get, Path: "/api/stripe-portal", Access: route.Anyone, Handle: h.stripePortal},
		{Method: get, Path: "/api/get-subscription", Access: route.User, Handle: h.getSubscription},
		{Method: get, Path: "/api/get-credit-balance", Access: route.User, Handle: h.getCreditBalance},
		{Method: get, Path: "/api/get-token-balance", Access: route.User, Handle: h.getTokenBalance},
		{Method: get, Path: "/api/get-credit-history", Access: route.User, Query: []string{"cursor", "limit"}, Handle: h.getCreditHistory},
		{Method: get, Path: "/api/export-credit-history", Access: route.User, Budget: route.FileBudget, Handle: h.exportCreditHistory},
		{Method: post, Path: "/api/consume-credits", Access: route.UserOrServer, Handle: route.JSON(h.consumeCredits)},
		{Method: post, Path: "/api/hold-credits", Access: route.UserOrServer, Handle: route.JSON(h.holdCredits)},
		{Method: post, Path: "/api/settle-credits", Access: route.UserOrServer, Handle: route.JSON(h.settleCredits)},
		{Method: get, Path: "/api/get-person-billing", Access: route.Admin, Query: []string{"userId", "cursor", "limit"}, Handle: h.getPersonBilling},
		{Method: post, Path: "/api/adjust-credits", Access: route.FreshAdmin, Handle: route.JSON(h.adjustCredits)},
		{Method: post, Path: "/api/set-person-renewal", Access: route.FreshAdmin, Budget: stripeBudget, Handle: route.JSON(h.setPersonRenewal)},
		{Method: get, Path: "/api/get-finances", Access: route.Admin, Handle: h.getFinances},
		{Method: get, Path: "/api/export-month-end", Access: route.FreshAdmin, Budget: route.FileBudget, Query: []string{"month"}, Handle: h.exportMonthEnd},
		{Method: get, Path: "/api/get-billing-cases", Access: route.Admin, Handle: h.getBillingCases},
		{Method: post, Path: "/api/decide-billing-case", Access: route.FreshAdmin, Handle: route.JSON(h.decideBillingCase)},
		{Method: post, Path: "/api/stripe-webhook", Access: route.Anyone, Webhook: true, Handle: h.receiveStripeEvent},
	}
}
