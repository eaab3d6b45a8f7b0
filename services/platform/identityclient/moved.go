package identityclient

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/bus"
)

// AddressChange is an account that has another address now, or may have one since it is in use again.
type AddressChange struct {
	Account uuid.UUID
	// Email is the present address, also if emails to it do not arrive; "" while the account is disabled.
	Email string
	// Former are addresses that the account had and no other account has had since.
	Former []string
}

// AddressConsumers are a service's consumers that have what it holds of an account follow to another address.
// follow works in tx, and may be called again for what it has done. Identity is asked for the address
// when the event is read, so that events may come in any order: those of an account wait for each other, so
// that none follows to an answer that is older than another's. Of a disabled account, identity tells the address
// when it is enabled. No event tells that emails arrive again, so the address is followed to without regard to that.
// A nil client is for the names alone.
func AddressConsumers(service string, c *Client, follow func(ctx context.Context, tx pgx.Tx, moved AddressChange) error) []bus.ConsumerSpec {
	move := func(ctx context.Context, tx pgx.Tx, user string, former []string) error {
		id, err := bus.AccountID(user)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('fledge.moved.' || $1, 0))", id.String()); err != nil {
			return err
		}
		addresses, err := c.addresses(ctx, []uuid.UUID{id}, true)
		if err != nil {
			return err
		}
		return follow(ctx, tx, AddressChange{Account: id, Email: addresses[id], Former: former})
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
