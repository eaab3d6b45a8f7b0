package subscription

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	billingv1 "fledge.dev/proto/gen/go/fledge/events/billing/v1"
	"fledge.dev/services/platform/bus"
)

// Changed is the type of the event that tells what an account's subscription is now.
const Changed = "fledge.billing.v1.subscription.changed"

// shown is what the event tells, comparable.
type shown struct {
	status, plan string
	periodEnd    int64 // Unix seconds
}

func (svc *Service) shown(ctx context.Context, tx pgx.Tx, userID uuid.UUID) (shown, error) {
	rows, err := svc.q.ListSubscriptions(ctx, tx, userID)
	if err != nil {
		return shown{}, err
	}
	row, ok := current(rows)
	if !ok {
		return shown{status: Free}, nil
	}
	return shown{status: row.Status, plan: row.PlanID, periodEnd: shownEnd(row).Unix()}, nil
}

func (svc *Service) changed(userID uuid.UUID, version int64, now shown) bus.Event {
	payload := &billingv1.SubscriptionChanged{UserId: userID.String(), Status: now.status, PlanId: now.plan}
	if now.status != Free {
		payload.CurrentPeriodEnd = &timestamppb.Timestamp{Seconds: now.periodEnd}
	}
	return bus.Event{Type: Changed, Time: svc.clock.Now(), Source: "billing", Subject: userID.String(), Version: version, Payload: payload}
}
