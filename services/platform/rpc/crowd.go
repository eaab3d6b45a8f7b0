package rpc

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"

	"fledge.dev/services/platform/fault"
)

// errCrowded is for calls past a cap. It comes at once: whoever waits in a queue that
// is too long is served too late.
var errCrowded = fault.New(fault.Unavailable, "overloaded", "We are very busy right now. Please try again.").RetryAfter(time.Second)

// Health is asked of a busy server, too.
const healthPrefix = "/grpc.health.v1.Health/"

// slots are the calls that may be under way at the same time; nil is any number.
type slots chan struct{}

func newSlots(n int) slots {
	if n <= 0 {
		return nil
	}
	return make(slots, n)
}

// enter reports whether there was a slot, which leave gives back.
func (s slots) enter(method string) (leave func(), ok bool) {
	if s == nil || strings.HasPrefix(method, healthPrefix) {
		return func() {}, true
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, true
	default:
		return nil, false
	}
}

// serve refuses the calls past the cap of a server.
func (s slots) serve(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	leave, ok := s.enter(info.FullMethod)
	if !ok {
		return nil, errCrowded
	}
	defer leave()
	return next(ctx, req)
}

// call makes no calls past the cap of a client.
func (s slots) call(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	leave, ok := s.enter(method)
	if !ok {
		return errCrowded
	}
	defer leave()
	return next(ctx, method, req, reply, conn, opts...)
}
