package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	billingv1 "fledge.dev/proto/gen/go/fledge/events/billing/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// planChanged is what billing says when an account has another plan.
const planChanged = "fledge.billing.v1.user.plan_changed"

// Plans has the priority of a customer's tickets follow the customer's plan.
func (s *Store) Plans() bus.ConsumerSpec {
	return bus.ConsumerSpec{Name: "support-plans", Stream: bus.StreamOf("billing"), Type: planChanged, Handle: bus.On(
		func(ctx context.Context, tx pgx.Tx, ev bus.Event, e *billingv1.UserPlanChanged) error {
			id, err := bus.AccountID(e.GetUserId())
			if err != nil {
				return err
			}
			// A ticket that is being opened is seen.
			if err := s.lockPerson(ctx, tx, id); err != nil {
				if errors.Is(err, erasure.ErrErased) {
					return nil
				}
				return err
			}
			set, err := s.q.SetCustomerPlan(ctx, tx, db.SetCustomerPlanParams{UserID: id, PrioritySupport: e.GetPrioritySupport(), ChangedAt: ev.Time})
			if err != nil || set == 0 {
				return err
			}
			if e.GetPrioritySupport() {
				return s.q.RaisePriorities(ctx, tx, db.RaisePrioritiesParams{UserID: id, Now: s.now()})
			}
			return s.q.LowerPriorities(ctx, tx, db.LowerPrioritiesParams{UserID: id, Now: s.now()})
		})}
}

// raise gives a new ticket the priority that the customer's plan promises, and returns the one
// that it would have without; empty if that is the same.
func (s *Store) raise(ctx context.Context, tx pgx.Tx, t *ticket.Ticket) (from ticket.Priority, err error) {
	if t.Priority == ticket.High || t.Priority == ticket.Urgent {
		return "", nil
	}
	promised, err := s.q.HasPrioritySupport(ctx, tx, t.Customer.ID)
	if err != nil || !promised {
		return "", err
	}
	from, t.Priority = t.Priority, ticket.High
	return from, nil
}

// raiseReopened gives a ticket that is worked on again, and is written, the priority that the customer's plan promises,
// unless staff has set it.
func (s *Store) raiseReopened(ctx context.Context, tx pgx.Tx, t ticket.Ticket) (ticket.Ticket, error) {
	promised, err := s.q.HasPrioritySupport(ctx, tx, t.Customer.ID)
	if err != nil || !promised {
		return t, err
	}
	if err := s.q.RaisePriorities(ctx, tx, db.RaisePrioritiesParams{UserID: t.Customer.ID, Now: t.UpdatedAt}); err != nil {
		return t, err
	}
	r, err := s.q.LockTicket(ctx, tx, t.ID)
	return fromRow(row(r)), err
}

// Overdue counts the tickets whose first answer is late, by priority.
func (s *Store) Overdue() obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "support_answers_overdue", Help: "Tickets whose first answer is later than FIRST_ANSWER_TARGETS says, by priority.",
		Labels: []string{"priority"}, Look: s.overdue,
	}
}

func (s *Store) overdue(ctx context.Context) ([]obs.Sample, error) {
	var due db.OverdueParams
	for _, p := range ticket.Priorities() {
		if soon, ok := s.cfg.FirstAnswer[p]; ok {
			due.Priorities, due.Before = append(due.Priorities, string(p)), append(due.Before, s.now().Add(-soon))
		}
	}
	rows, err := s.q.Overdue(ctx, s.pool, due)
	samples := make([]obs.Sample, len(rows))
	for i, r := range rows {
		samples[i] = obs.Sample{Labels: []string{r.Priority}, Value: float64(r.Tickets)}
	}
	return samples, err
}
