// Package api serves billing over gRPC: it reads requests, calls the parts of the
// service and writes answers. Policy says who may call what, and is enforced
// before a handler runs. What is not for
// staff is about the caller's own account.
package api

import (
	"context"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/billing/internal/checkout"
	"fledge.dev/services/billing/internal/freetier"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/monthend"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/ttlcache"
)

// Server implements billingv1.BillingServiceServer.
type Server struct {
	billingv1.UnimplementedBillingServiceServer
	Parts
	stats    *ttlcache.Value[stats.Overview]
	finances *ttlcache.Value[stats.Finances]
}

// Parts are what the methods call.
type Parts struct {
	Plans         *plan.Catalog
	Ledger        *ledger.Ledger
	Subscriptions *subscription.Service
	Checkout      *checkout.Service
	Inbox         *webhook.Inbox
	Free          *freetier.Tier
	Staff         *staff.Service
	Stats         *stats.Reader
	Cases         *cases.Service
	MonthEnd      *monthend.Reporter
	// Setup is nil in a demo.
	Setup     *setup.Checker
	Dashboard stripe.Dashboard
	// Exports are what a person takes along.
	Exports []export.Table
	Clock   clock.Clock
	// Origin is the site's.
	Origin string
	// MayPay reports whether a server may spend an account's credits.
	MayPay func(ctx context.Context, userID uuid.UUID) (bool, error)
	// SetRenewal is an admin's word on the plan of a disabled account, see package standing.
	SetRenewal func(ctx context.Context, userID uuid.UUID, renews bool, reason string) error
	// AppsSpend is whether people's own apps may spend their credits.
	AppsSpend bool
}

// NewServer returns a server over the parts.
func NewServer(p Parts) *Server {
	return &Server{Parts: p, stats: ttlcache.New(p.Clock, statsAge, p.Stats.Overview), finances: ttlcache.New(p.Clock, statsAge, p.Stats.Finances)}
}

// ListPlans returns the plans and packs that are sold, cheapest first.
func (s *Server) ListPlans(ctx context.Context, _ *billingv1.ListPlansRequest) (*billingv1.ListPlansResponse, error) {
	plans, err := s.Plans.List(ctx)
	if err != nil {
		return nil, err
	}
	packs, err := s.Plans.Packs(ctx)
	if err != nil {
		return nil, err
	}
	return encodePlans(plans, packs), nil
}
