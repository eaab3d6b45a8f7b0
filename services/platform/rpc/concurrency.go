package rpc

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"

	"fledge.dev/services/platform/fault"
)

// errOverloaded is the failure of calls past a cap. They fail at once: a queue that is too
// long serves everybody in it too late.
var errOverloaded = fault.New(fault.Unavailable, "overloaded", "We are very busy right now. Please try again.").RetryAfter(time.Second)

// healthPrefix is of the calls that count towards no cap: health is checked under load, too.
const healthPrefix = "/grpc.health.v1.Health/"

// slots bounds the calls in progress; nil is no bound.
type slots chan struct{}

func newSlots(n int) slots {
	if n <= 0 {
		return nil
	}
	return make(slots, n)
}

// enter takes a slot, which leave gives back, or reports that there is none.
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

// serve refuses calls past a server's cap.
func (s slots) serve(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	leave, ok := s.enter(info.FullMethod)
	if !ok {
		return nil, errOverloaded
	}
	defer leave()
	return next(ctx, req)
}

// call makes no calls past a client's cap.
func (s slots) call(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	leave, ok := s.enter(method)
	if !ok {
		return errOverloaded
	}
	defer leave()
	return next(ctx, method, req, reply, conn, opts...)
}
