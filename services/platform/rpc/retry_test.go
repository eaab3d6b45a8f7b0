package rpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/rpc"
)

// wire passes bytes on to a server until it is cut; then it takes new connections.
type wire struct {
	net.Listener
	mu   sync.Mutex
	open []net.Conn
}

func newWire(t *testing.T, server string) *wire {
	t.Helper()
	return wireAt(t, "127.0.0.1:0", server)
}

func wireAt(t *testing.T, addr, server string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	errtest.None(t, err)
	w := &wire{Listener: listener}
	t.Cleanup(func() { _ = w.Close(); w.cut() })
	go func() {
		for {
			in, err := w.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, in, out)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(out, in) }()
			go func() { _, _ = io.Copy(in, out) }()
		}
	}()
	return w
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range w.open {
		_ = conn.Close()
	}
	w.open = nil
}

// A server that dies in the middle of a call: only what may be repeated is.
func TestCallsThatMayBeRepeatedOutliveTheirServer(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	var w *wire
	var mu sync.Mutex
	calls := map[string]int{}
	dies := func(ctx context.Context, method string, times int) error {
		mu.Lock()
		calls[method]++
		n := calls[method]
		mu.Unlock()
		if n > times {
			return nil
		}
		w.cut()
		<-ctx.Done()
		return ctx.Err()
	}
	called := func(method string) int {
		mu.Lock()
		defer mu.Unlock()
		return calls[method]
	}
	server := serve(t, io.Discard, issuer, identity{
		getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
			return &identityv1.GetUserResponse{}, dies(ctx, "GetUser", 2)
		},
		setUserRoles: func(ctx context.Context) error { return dies(ctx, "SetUserRoles", 1) },
	})
	w = newWire(t, server.Addr())
	client := dial(t, w.Addr().String(), rpc.ClientConfig{})

	if _, err := client.GetUser(as(token), &identityv1.GetUserRequest{}); err != nil || called("GetUser") != 3 {
		t.Errorf("reading: %v after %d calls", err, called("GetUser"))
	}
	if _, err := client.SetUserRoles(as(token), &identityv1.SetUserRolesRequest{}); !errors.Is(err, fault.Unavailable) || called("SetUserRoles") != 1 {
		t.Errorf("changing roles: %v after %d calls", err, called("SetUserRoles"))
	}
}

func TestAServerThatSaysItCannotIsNotAskedAgain(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	var calls atomic.Int64
	server := serve(t, io.Discard, issuer, identity{getUser: func(context.Context) (*identityv1.GetUserResponse, error) {
		calls.Add(1)
		return nil, fault.New(fault.Unavailable, "database_unavailable", "Not now.")
	}})
	if _, err := dial(t, server.Addr(), rpc.ClientConfig{}).GetUser(as(token), &identityv1.GetUserRequest{}); !errors.Is(err, fault.Unavailable) || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}
