package bus

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Handler is a function for events with one kind of payload, made by On.
type Handler struct {
	message protoreflect.FullName
	handle  func(ctx context.Context, tx pgx.Tx, ev Event) error
}

// On makes a handler for events that carry a P, such as *waitlistv1.UserApproved.
// Versions of an event are different messages and get handlers side by side.
func On[P proto.Message](handle func(ctx context.Context, tx pgx.Tx, ev Event, payload P) error) Handler {
	var zero P
	return Handler{
		message: zero.ProtoReflect().Descriptor().FullName(),
		handle: func(ctx context.Context, tx pgx.Tx, ev Event) error {
			payload, ok := ev.Payload.(P)
			if !ok {
				return Poison(fmt.Errorf("bus: %s carries a %T", ev.Type, ev.Payload))
			}
			return handle(ctx, tx, ev, payload)
		},
	}
}

// Dispatch makes a ConsumerSpec.Handle that gives each event to the handler of
// its payload and ignores events without one.
func Dispatch(handlers ...Handler) func(ctx context.Context, tx pgx.Tx, ev Event) error {
	byMessage := make(map[protoreflect.FullName]Handler, len(handlers))
	for _, h := range handlers {
		byMessage[h.message] = h
	}
	return func(ctx context.Context, tx pgx.Tx, ev Event) error {
		h, ok := byMessage[ev.Payload.ProtoReflect().Descriptor().FullName()]
		if !ok {
			return ErrIgnored
		}
		return h.handle(ctx, tx, ev)
	}
}
