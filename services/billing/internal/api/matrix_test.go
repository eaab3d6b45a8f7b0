package api_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/api"
	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/standing"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

func TestWhoMayCallEachMethod(t *testing.T) {
	authntest.Matrix(t, &billingv1.BillingService_ServiceDesc, api.Policy(), map[string]authn.Access{
		"ListPlans":             authn.Public,
		"GetPortalSignIn":       authn.Public,
		"CreateCheckoutSession": authn.Active,
		"SyncCheckoutSession":   authn.Active,
		"CreatePortalSession":   authn.Active,
		"GetSubscription":       authn.Active,
		"GetCredits":            authn.Active,
		"ListCreditEntries":     authn.Active,
		"ConsumeCredits":        authn.ActiveOrServer,
		"HoldCredits":           authn.ActiveOrServer,
		"SettleCredits":         authn.ActiveOrServer,
		"ReceiveStripeEvent":    authn.Internal,
		"GetAccount":            authn.Admin,
		"AdjustCredits":         authn.FreshAdmin,
		"SetRenewal":            authn.FreshAdmin,
		"GetStats":              authn.Admin,
		"GetFinances":           authn.Admin,
		"GetMonthEnd":           authn.FreshAdmin,
		"ListCases":             authn.Admin,
		"DecideCase":            authn.FreshAdmin,
		"ExportAccount":         authn.Internal,
	})
}

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 30 * time.Second}, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	errtest.None(t, err)
	queue, err := webhook.NewQueue(pool, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	errtest.None(t, err)
	follower, err := standing.New(nil, nil, credits, clock.System(), prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	errtest.None(t, err)
	server := api.NewServer(api.Parts{
		Ledger: credits, Staff: staff.New(pool, credits, clock.System(), stripe.Dashboard("").Of, 30*time.Second),
		Cases: cases.New(pool, queue, credits, clock.System(), 30*time.Second),
		Stats: &stats.Reader{}, Clock: clock.System(), SetRenewal: func(ctx context.Context, userID uuid.UUID, renews bool, reason string) error {
			return follower.SetRenewal(ctx, pool, userID, renews, reason)
		},
	})
	audittest.Methods(t, api.Policy(), pool, map[string]audittest.Call{
		"AdjustCredits": {Action: staff.CreditsAdjusted, Do: func(ctx context.Context) error {
			_, err := server.AdjustCredits(ctx, &billingv1.AdjustCreditsRequest{UserId: uuid.NewString(), Amount: 1, Reason: "because", IdempotencyKey: "k"})
			return err
		}},
		"SetRenewal": {Action: staff.RenewalAllowed, Do: func(ctx context.Context) error {
			id := uuid.New()
			if _, err := pool.Exec(ctx, "INSERT INTO account_states (user_id, state, since) VALUES ($1, 'disabled', now())", id); err != nil {
				return err
			}
			_, err := server.SetRenewal(ctx, &billingv1.SetRenewalRequest{UserId: id.String(), Renews: true, Reason: "because"})
			return err
		}},
		"DecideCase": {Action: staff.CaseIgnored, Do: func(ctx context.Context) error {
			if _, err := pool.Exec(ctx, "INSERT INTO odd_cases (object, reason, subscription_id, found_at, seen_at) VALUES ('in_1', 'odd_invoice', '', now(), now())"); err != nil {
				return err
			}
			_, err := server.DecideCase(ctx, &billingv1.DecideCaseRequest{Object: "in_1", Decision: "ignore", Reason: "because"})
			return err
		}},
		"GetAccount": audittest.Reads, "GetStats": audittest.Reads, "GetFinances": audittest.Reads, "GetMonthEnd": audittest.Reads, "ListCases": audittest.Reads,
	})
}
