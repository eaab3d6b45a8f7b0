package api

import (
	"context"
	"strings"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
)

// GetCredits returns what the caller has at this moment.
func (s *Server) GetCredits(ctx context.Context, _ *billingv1.GetCreditsRequest) (*billingv1.GetCreditsResponse, error) {
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Free.Ensure(ctx, userID); err != nil {
		return nil, err
	}
	credits, ok, err := s.Ledger.Credits(ctx, userID)
	if err != nil || !ok {
		return &billingv1.GetCreditsResponse{}, err
	}
	endings, err := s.Ledger.Endings(ctx, userID)
	if err != nil {
		return nil, err
	}
	packs, err := s.Subscriptions.PacksOnTheirWay(ctx, userID)
	if err != nil {
		return nil, err
	}
	resp := &billingv1.GetCreditsResponse{Credits: encodeCredits(credits), Endings: encodeEndings(endings)}
	for _, p := range packs {
		resp.OnTheirWay = append(resp.OnTheirWay, &billingv1.PackOnItsWay{Credits: p.Credits, Since: encodeTime(p.Since)})
	}
	return resp, nil
}

// ListCreditEntries returns one page of the caller's ledger, newest first.
func (s *Server) ListCreditEntries(ctx context.Context, req *billingv1.ListCreditEntriesRequest) (*billingv1.ListCreditEntriesResponse, error) {
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	from, limit, err := decodePage(req)
	if err != nil {
		return nil, err
	}
	if err := s.Free.Ensure(ctx, userID); err != nil {
		return nil, err
	}
	history, err := s.Ledger.History(ctx, userID, from, limit)
	if err != nil {
		return nil, err
	}
	return encodeHistory(history), nil
}

// ConsumeCredits spends.
func (s *Server) ConsumeCredits(ctx context.Context, req *billingv1.ConsumeCreditsRequest) (*billingv1.ConsumeCreditsResponse, error) {
	userID, err := s.payer(ctx, req.GetUserId())
	if err != nil {
		return nil, err
	}
	spend, err := decodeSpend(userID, req)
	if err != nil {
		return nil, err
	}
	if err := s.Free.Ensure(ctx, userID); err != nil {
		return nil, err
	}
	consumed, err := s.Ledger.Consume(ctx, spend)
	if err != nil {
		return nil, err
	}
	return &billingv1.ConsumeCreditsResponse{EntryId: encodeNumber(consumed.Entry), Credits: encodeCredits(consumed.Credits)}, nil
}

// HoldCredits sets credits aside.
func (s *Server) HoldCredits(ctx context.Context, req *billingv1.HoldCreditsRequest) (*billingv1.HoldCreditsResponse, error) {
	userID, err := s.payer(ctx, req.GetUserId())
	if err != nil {
		return nil, err
	}
	spend, err := decodeSpend(userID, req)
	if err != nil {
		return nil, err
	}
	lifetime, err := decodeLifetime(req.GetLifetimeSeconds())
	if err != nil {
		return nil, err
	}
	if err := s.Free.Ensure(ctx, userID); err != nil {
		return nil, err
	}
	held, err := s.Ledger.Hold(ctx, spend, lifetime)
	if err != nil {
		return nil, err
	}
	return encodeHeld(held), nil
}

// SettleCredits ends a hold.
func (s *Server) SettleCredits(ctx context.Context, req *billingv1.SettleCreditsRequest) (*billingv1.SettleCreditsResponse, error) {
	userID, err := s.payer(ctx, req.GetUserId())
	if err != nil {
		return nil, err
	}
	hold, cost, err := decodeSettle(req)
	if err != nil {
		return nil, err
	}
	credits, err := s.Ledger.Settle(ctx, userID, hold, cost)
	if err != nil {
		return nil, err
	}
	return &billingv1.SettleCreditsResponse{Credits: encodeCredits(credits)}, nil
}

var (
	errNotYours  = fault.New(fault.Forbidden, "forbidden", "You can spend your own credits only.")
	errByServers = fault.New(fault.Forbidden, "spent_by_servers", "Credits are spent by the server that does the work.")
)

// payer is the account whose credits are spent: the caller's own, or the one that a server of ours
// names. Identity has said whether the caller may act; of an account that a server names, billing knows
// by identity's events.
func (s *Server) payer(ctx context.Context, named string) (uuid.UUID, error) {
	p, _ := authn.FromContext(ctx)
	if p.Server == "" {
		switch id, err := authn.Account(ctx); {
		case err != nil:
			return uuid.Nil, err
		case named != "" && !strings.EqualFold(named, id.String()):
			return uuid.Nil, errNotYours
		case !s.AppsSpend:
			return uuid.Nil, errByServers
		default:
			return id, nil
		}
	}
	id, ok := text.UUID(named)
	if !ok {
		return uuid.Nil, fault.InvalidField("user_id", "The account that pays must be named by its UUID.")
	}
	mayPay, err := s.MayPay(ctx, id)
	if err == nil && !mayPay {
		err = authn.ErrDisabled
	}
	return id, err
}
