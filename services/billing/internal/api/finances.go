package api

import (
	"context"
	"regexp"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
)

// GetFinances returns what finance looks at.
func (s *Server) GetFinances(ctx context.Context, _ *billingv1.GetFinancesRequest) (*billingv1.GetFinancesResponse, error) {
	f, err := s.finances.Get(ctx)
	if err != nil {
		return nil, err
	}
	resp := &billingv1.GetFinancesResponse{
		Had: f.Had, Lost: f.Lost, Credits: encodeMovement(f.Movement), Outstanding: f.Outstanding, Owed: f.Owed, Differences: s.Setup.Found(),
	}
	for _, g := range f.Groups {
		group := &billingv1.SubscriptionGroup{Plan: g.Plan, PriceId: g.PriceID, Status: g.Status, Subscriptions: g.Subscriptions}
		if g.Monthly.Currency != "" {
			group.Monthly = encodeMoney(g.Monthly)
		}
		resp.Subscriptions = append(resp.Subscriptions, group)
	}
	for _, o := range f.Owing {
		resp.Owing = append(resp.Owing, &billingv1.OwingAccount{UserId: o.UserID.String(), Owed: o.Owed, Disputes: o.Disputes})
	}
	for _, m := range f.Revenue {
		resp.MonthlyRevenue = append(resp.MonthlyRevenue, encodeMoney(m))
	}
	return resp, nil
}

func encodeMoney(m stats.Money) *billingv1.Money {
	return &billingv1.Money{Amount: stripe.Hundredths(m.Amount, m.Currency), Currency: m.Currency}
}

func encodeMovement(m stats.Movement) *billingv1.CreditMoves {
	return &billingv1.CreditMoves{Granted: m.Granted, Spent: m.Spent, Expired: m.Expired, Withdrawn: m.Withdrawn, Adjusted: m.Adjusted}
}

// ListCases returns what waits for a decision.
func (s *Server) ListCases(ctx context.Context, _ *billingv1.ListCasesRequest) (*billingv1.ListCasesResponse, error) {
	list, total, err := s.Cases.List(ctx)
	resp := &billingv1.ListCasesResponse{Total: total}
	for _, c := range list {
		encoded := &billingv1.Case{
			Object: c.Object, Reason: c.Reason, SubscriptionId: c.SubscriptionID, Since: timestamppb.New(c.Since), Events: c.Events,
			StripeUrl: s.Dashboard.Of(c.Object), Grantable: c.Grantable,
		}
		if c.UserID != uuid.Nil {
			encoded.UserId = c.UserID.String()
		}
		resp.Cases = append(resp.Cases, encoded)
	}
	return resp, err
}

var (
	isObject = regexp.MustCompile(`^[A-Za-z0-9_]{1,255}$`).MatchString
	isReason = regexp.MustCompile(`^[a-z_]{1,100}$`).MatchString
)

// DecideCase decides a case.
func (s *Server) DecideCase(ctx context.Context, req *billingv1.DecideCaseRequest) (*billingv1.DecideCaseResponse, error) {
	decision := cases.Decision(req.GetDecision())
	switch {
	case !isObject(req.GetObject()):
		return nil, fault.InvalidField("object", "The object must be an id of Stripe's.")
	case !decision.Known():
		return nil, fault.InvalidField("decision", "The decision must be accept, grant, ignore or retry.")
	case (decision == cases.Grant) != (req.GetAmount() != 0) || req.GetAmount() < 0 || req.GetAmount() > maxAdjustment:
		return nil, fault.InvalidField("amount", "The amount must be between 0.01 and 10,000 credits, and is for a grant only.")
	case req.SeenReason != nil && !isReason(req.GetSeenReason()):
		return nil, fault.InvalidField("seen_reason", "The seen reason must be that of a case.")
	}
	reason, err := audit.ParseReason(req.GetReason())
	if err != nil {
		return nil, err
	}
	_, _, err = s.Cases.Decide(ctx, cases.Order{Object: req.GetObject(), Decision: decision, Credits: req.GetAmount(), Seen: req.GetSeenReason(), Reason: reason})
	if err != nil {
		return nil, err
	}
	return &billingv1.DecideCaseResponse{}, nil
}
