package api

import (
	"context"
	"math"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
)

// maxAdjustment bounds a change by staff: 10,000 credits.
const maxAdjustment = 1_000_000

// GetAccount returns what an account has, for staff.
func (s *Server) GetAccount(ctx context.Context, req *billingv1.GetAccountRequest) (*billingv1.GetAccountResponse, error) {
	userID, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	from, limit, err := decodePage(req)
	if err != nil {
		return nil, err
	}
	resp := &billingv1.GetAccountResponse{}
	current, ok, err := s.Subscriptions.Current(ctx, userID)
	if err != nil {
		return nil, err
	}
	if ok {
		resp.Subscription = encodeSubscription(current)
	}
	credits, ok, err := s.Ledger.Credits(ctx, userID)
	if err != nil {
		return nil, err
	}
	if ok {
		resp.Credits = encodeCredits(credits)
	}
	history, err := s.Ledger.History(ctx, userID, from, limit)
	if err != nil {
		return nil, err
	}
	page := encodeHistory(history)
	resp.Entries, resp.NextCursor = page.GetEntries(), page.GetNextCursor()
	marks, err := s.Staff.Marks(ctx, userID)
	if err != nil {
		return nil, err
	}
	resp.Owed, resp.Disputes = marks.Owed, int32(min(marks.Disputes, math.MaxInt32))
	if resp.Disabled, resp.Renews, err = s.Staff.Renewal(ctx, userID); err != nil {
		return nil, err
	}
	resp.StripeUrl, err = s.Staff.StripeURL(ctx, userID)
	return resp, err
}

// SetRenewal lets the plan of a disabled account renew, or stops that again.
func (s *Server) SetRenewal(ctx context.Context, req *billingv1.SetRenewalRequest) (*billingv1.SetRenewalResponse, error) {
	userID, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	reason, err := audit.ParseReason(req.GetReason())
	if err != nil {
		return nil, err
	}
	if err := s.Parts.SetRenewal(ctx, userID, req.GetRenews(), reason); err != nil {
		return nil, err
	}
	return &billingv1.SetRenewalResponse{}, nil
}

// AdjustCredits gives credits to an account or takes some.
func (s *Server) AdjustCredits(ctx context.Context, req *billingv1.AdjustCreditsRequest) (*billingv1.AdjustCreditsResponse, error) {
	userID, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	if req.GetAmount() == 0 || req.GetAmount() < -maxAdjustment || req.GetAmount() > maxAdjustment {
		return nil, fault.InvalidField("amount", "The amount must be between -10,000 and 10,000 credits, and not 0.")
	}
	if !isKey(req.GetIdempotencyKey()) {
		return nil, fault.InvalidField("idempotency_key", "The idempotency key must have 1 to 255 printable ASCII characters.")
	}
	reason, err := audit.ParseReason(req.GetReason())
	if err != nil {
		return nil, err
	}
	credits, err := s.Staff.Adjust(ctx, staff.Adjustment{UserID: userID, Amount: req.GetAmount(), Reason: reason, Key: req.GetIdempotencyKey()})
	if err != nil {
		return nil, err
	}
	return &billingv1.AdjustCreditsResponse{Credits: encodeCredits(credits)}, nil
}
