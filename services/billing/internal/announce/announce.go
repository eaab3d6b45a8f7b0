// Package announce tells other services which plan an account has.
package announce

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	billingv1 "fledge.dev/proto/gen/go/fledge/events/billing/v1"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/periodic"
)

// PlanChanged is the type of the event.
const PlanChanged = "fledge.billing.v1.user.plan_changed"

const (
	every   = 15 * time.Second
	timeout = time.Minute
	batch   = 500
)

// Announcer compares what subscriptions say with what others were told, instead of noting each
// change where it is made: a plan changes in many places, and none can be forgotten so. After the
// first start all that have a plan are told.
type Announcer struct {
	pool *pgxpool.Pool
	q    *db.Queries
}

// New returns an announcer over a migrated database.
func New(pool *pgxpool.Pool) *Announcer { return &Announcer{pool: pool, q: db.New()} }

// Task tells the changes within seconds.
func (a *Announcer) Task() periodic.Task {
	return periodic.Task{Name: "announce_plans", Every: every, Timeout: timeout, Exclusive: true, Run: a.Run}
}

// Run tells all changes that there are.
func (a *Announcer) Run(ctx context.Context) error {
	for {
		n, err := a.some(ctx)
		if err != nil || n < batch {
			return err
		}
	}
}

func (a *Announcer) some(ctx context.Context) (told int, err error) {
	err = pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		rows, err := a.q.PlansToTell(ctx, tx, batch)
		if err != nil {
			return err
		}
		told = len(rows)
		var events []bus.Event
		for _, r := range rows {
			if r.PlanID == "free" {
				err = a.q.DeleteToldPlan(ctx, tx, r.UserID)
			} else {
				err = a.q.SetToldPlan(ctx, tx, db.SetToldPlanParams{UserID: r.UserID, PlanID: r.PlanID})
			}
			if err != nil {
				return err
			}
			if !r.Erased {
				events = append(events, bus.Event{Type: PlanChanged, Subject: r.UserID.String(), Payload: &billingv1.UserPlanChanged{
					UserId: r.UserID.String(), PlanId: r.PlanID, PrioritySupport: r.PrioritySupport,
				}})
			}
		}
		return bus.Append(ctx, tx, events...)
	})
	return told, err
}
