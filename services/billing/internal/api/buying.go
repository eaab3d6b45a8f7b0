package api

import (
	"cmp"
	"context"
	"strings"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/checkout"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

const (
	maxURL = 2048
	// maxStripeID is the maximum length of Stripe's ids.
	maxStripeID = 255
)

// checkID refuses what is no name of anything at Stripe.
func checkID(field, id string) error {
	if id == "" || len(id) > maxStripeID {
		return fault.InvalidField(field, "The id must have 1 to 255 characters.")
	}
	return nil
}

// CreateCheckoutSession leads the caller to where the plan can be bought.
func (s *Server) CreateCheckoutSession(ctx context.Context, req *billingv1.CreateCheckoutSessionRequest) (*billingv1.CreateCheckoutSessionResponse, error) {
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(
		checkID("product_id", req.GetProductId()), checkID("price_id", req.GetPriceId()),
		s.checkURL("success_url", req.GetSuccessUrl()), s.checkURL("cancel_url", req.GetCancelUrl()),
	); err != nil {
		return nil, err
	}
	principal, _ := authn.FromContext(ctx)
	page, err := s.Checkout.Open(ctx, checkout.Order{
		UserID: userID, Email: principal.Email, ProductID: req.GetProductId(), PriceID: req.GetPriceId(),
		SuccessURL: req.GetSuccessUrl(), CancelURL: req.GetCancelUrl(),
	})
	if err != nil {
		return nil, err
	}
	return &billingv1.CreateCheckoutSessionResponse{SessionId: page.SessionID, Url: page.URL}, nil
}

// SyncCheckoutSession brings the caller's subscription or credits up to date after a checkout.
func (s *Server) SyncCheckoutSession(ctx context.Context, req *billingv1.SyncCheckoutSessionRequest) (*billingv1.SyncCheckoutSessionResponse, error) {
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkID("session_id", req.GetSessionId()); err != nil {
		return nil, err
	}
	pack, err := s.Checkout.Sync(ctx, userID, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	resp := &billingv1.SyncCheckoutSessionResponse{Pack: pack}
	current, ok, err := s.Subscriptions.Current(ctx, userID)
	if err == nil && ok {
		resp.Subscription = encodeSubscription(current)
	}
	return resp, err
}

// CreatePortalSession opens the caller's portal, or says that this is a demo.
func (s *Server) CreatePortalSession(ctx context.Context, req *billingv1.CreatePortalSessionRequest) (*billingv1.CreatePortalSessionResponse, error) {
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.checkURL("return_url", req.GetReturnUrl()); err != nil {
		return nil, err
	}
	address, message, err := s.Checkout.Portal(ctx, userID, req.GetReturnUrl())
	switch {
	case err != nil:
		return nil, err
	case message != "":
		return &billingv1.CreatePortalSessionResponse{Answer: &billingv1.CreatePortalSessionResponse_Message{Message: message}}, nil
	}
	return &billingv1.CreatePortalSessionResponse{Answer: &billingv1.CreatePortalSessionResponse_Url{Url: address}}, nil
}

// GetPortalSignIn returns where somebody who cannot sign in here gets a link into their portal. It asks
// Stripe nothing.
func (s *Server) GetPortalSignIn(context.Context, *billingv1.GetPortalSignInRequest) (*billingv1.GetPortalSignInResponse, error) {
	if s.Setup == nil {
		return nil, checkout.ErrDemo
	}
	url, err := s.Setup.SignIn()
	if err != nil {
		return nil, err
	}
	return &billingv1.GetPortalSignInResponse{Url: url}, nil
}

// GetSubscription returns the caller's subscription; absent on the free plan.
func (s *Server) GetSubscription(ctx context.Context, _ *billingv1.GetSubscriptionRequest) (*billingv1.GetSubscriptionResponse, error) {
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	current, ok, err := s.Subscriptions.Current(ctx, userID)
	if err != nil {
		return nil, err
	}
	customer, _, err := s.Subscriptions.Customer(ctx, userID)
	if err != nil {
		return nil, err
	}
	resp := &billingv1.GetSubscriptionResponse{HasPortal: customer != ""}
	if ok {
		resp.Subscription = encodeSubscription(current)
		return resp, nil
	}
	days, err := s.Checkout.TrialDays(ctx, userID)
	resp.TrialDays = int32(days)
	return resp, err
}

// ReceiveStripeEvent verifies and stores what Stripe delivered. It calls nobody.
func (s *Server) ReceiveStripeEvent(ctx context.Context, req *billingv1.ReceiveStripeEventRequest) (*billingv1.ReceiveStripeEventResponse, error) {
	if err := s.Inbox.Receive(ctx, req.GetPayload(), req.GetSignature()); err != nil {
		return nil, err
	}
	return &billingv1.ReceiveStripeEventResponse{}, nil
}

// checkURL guards what Stripe sends browsers to: the gateway has checked it, and is not the only guard.
func (s *Server) checkURL(field, address string) error {
	rest, ok := strings.CutPrefix(address, s.Origin+"/profile")
	if !ok || len(address) > maxURL || rest != "" && rest[0] != '?' || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return fault.InvalidField(field, "The address must be on this site.")
	}
	return nil
}

func encodeSubscription(c subscription.Current) *billingv1.Subscription {
	encoded := &billingv1.Subscription{
		Status: c.Status, Plan: encodePlan(c.Plan), CurrentPeriodEnd: encodeTime(c.PeriodEnd), CreatedAt: encodeTime(c.CreatedAt),
		Interval: c.Paid.Interval, IntervalCount: int32(c.Paid.Count), PeriodCredits: c.PeriodCredits, LaterPriceIds: c.Later,
	}
	if c.Next != "" {
		encoded.Change = &billingv1.PlanChange{Plan: c.Next, At: encodeTime(c.NextAt), Interval: c.NextInterval}
	}
	if c.AfterTrial != nil {
		encoded.AfterTrial = encodeAmount(c.AfterTrial.Amount, c.AfterTrial.Currency)
	}
	if c.Due != nil {
		encoded.Due = &billingv1.PaymentDue{Amount: stripe.Hundredths(c.Due.Amount, c.Due.Currency), Currency: c.Due.Currency, Since: encodeTime(c.Due.Since), Processing: c.Due.Processing}
	}
	return encoded
}
