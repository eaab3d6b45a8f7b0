package bus

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"
)

// On makes a ConsumerSpec.Handle for events that carry a P, such as *auditv1.StaffAction.
func On[P proto.Message](handle func(ctx context.Context, tx pgx.Tx, ev Event, payload P) error) func(context.Context, pgx.Tx, Event) error {
	return func(ctx context.Context, tx pgx.Tx, ev Event) error {
		payload, ok := ev.Payload.(P)
		if !ok {
			return Poison(fmt.Errorf("bus: %s carries a %T", ev.Type, ev.Payload))
		}
		return handle(ctx, tx, ev, payload)
	}
}
