package identityclient

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/bus"
)

// Moved is an account that has another address now, or may have one since it is in use again.
type Moved struct {
	Account uuid.UUID
	// Email is the present address, "" while identity tells none: the account is disabled, or emails to
	// it do not arrive.
	Email string
	// Former are addresses that the account had and no other account has had since.
	Former []string
}

// Movers are a service's consumers that have what it holds of an account follow to another address.
// follow works in tx, and may be called again for what it has done. Identity is asked for the address
// when the event is read, so that events may come in any order; of a disabled account it is told when
// that is enabled. A nil client is for the names alone.
func Movers(service string, c *Client, follow func(ctx context.Context, tx pgx.Tx, moved Moved) error) []bus.ConsumerSpec {
	move := func(ctx context.Context, tx pgx.Tx, user string, former []string) error {
		id, err := uuid.Parse(user)
		if err != nil {
			return bus.Poison(fmt.Errorf("account: %w", err))
		}
		addresses, err := c.Addresses(ctx, []uuid.UUID{id})
		if err != nil {
			return err
		}
		return follow(ctx, tx, Moved{Account: id, Email: addresses[id], Former: former})
	}
	stream := bus.StreamOf("identity")
	return []bus.ConsumerSpec{
		{Name: service + "-user-email-changed", Stream: stream, Type: "fledge.identity.v1.user.email_changed", Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, _ bus.Event, e *eventsv1.UserEmailChanged) error {
				return move(ctx, tx, e.GetUserId(), e.GetFormerEmails())
			})},
		{Name: service + "-user-enabled", Stream: stream, Type: "fledge.identity.v1.user.enabled", Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, _ bus.Event, e *eventsv1.UserEnabled) error {
				return move(ctx, tx, e.GetUserId(), nil)
			})},
	}
}
