package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
	"fledge.dev/services/support/internal/webhook"
)

// callsAtOnce is how many calls DueCalls returns.
const callsAtOnce = 20

var _ webhook.Calls = (*Store)(nil)

// DueCalls implements webhook.Calls.
func (s *Store) DueCalls(ctx context.Context) ([]webhook.Call, error) {
	rows, err := s.q.DueWebhookCalls(ctx, s.pool, db.DueWebhookCallsParams{Now: s.now(), Most: callsAtOnce})
	calls := make([]webhook.Call, len(rows))
	for i, r := range rows {
		calls[i] = webhook.Call{ID: r.ID, Type: r.Type, CreatedAt: r.CreatedAt, Attempts: int(r.Attempts), Ticket: ticket.Ticket{
			ID: r.TicketID, Number: r.Number, Content: ticket.Content{Category: ticket.Category(r.Category), Priority: ticket.Priority(r.Priority), Subject: r.Subject},
		}}
	}
	return calls, pg.Fault(err, nil)
}

// EndCall implements webhook.Calls.
func (s *Store) EndCall(ctx context.Context, id uuid.UUID) error {
	return pg.Fault(s.q.EndWebhookCall(ctx, s.pool, id), nil)
}

// EndCalls implements webhook.Calls.
func (s *Store) EndCalls(ctx context.Context, before time.Time) error {
	return pg.Fault(s.q.EndWebhookCalls(ctx, s.pool, before), nil)
}

// PutOffCall implements webhook.Calls.
func (s *Store) PutOffCall(ctx context.Context, id uuid.UUID, next, held time.Time) error {
	return pg.Fault(s.q.PutOffWebhookCall(ctx, s.pool, db.PutOffWebhookCallParams{ID: id, NextAt: next, HeldUntil: orNull(held)}), nil)
}

// OldestCall implements webhook.Calls.
func (s *Store) OldestCall(ctx context.Context) (time.Time, error) {
	return s.q.OldestWebhookCall(ctx, s.pool, s.now())
}
