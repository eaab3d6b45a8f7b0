package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// everything is a server of every method that any service has.
func everything(t *testing.T) (addr string, methods []string) {
	t.Helper()
	issuer := authntest.New(t, nil)
	served := map[*grpc.ServiceDesc]any{
		&identityv1.IdentityService_ServiceDesc: identityv1.UnimplementedIdentityServiceServer{},
		&billingv1.BillingService_ServiceDesc:   billingv1.UnimplementedBillingServiceServer{},
		&waitlistv1.WaitlistService_ServiceDesc: waitlistv1.UnimplementedWaitlistServiceServer{},
		&supportv1.SupportService_ServiceDesc:   supportv1.UnimplementedSupportServiceServer{},
		&releasesv1.ReleasesService_ServiceDesc: releasesv1.UnimplementedReleasesServiceServer{},
		&mailv1.MailService_ServiceDesc:         mailv1.UnimplementedMailServiceServer{},
	}
	open := authn.Policy{}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				if strings.HasPrefix(string(service.FullName()), "fledge.") {
					method := fmt.Sprintf("/%s/%s", service.FullName(), service.Methods().Get(j).Name())
					methods, open[method] = append(methods, method), authn.Public
				}
			}
		}
		return true
	})
	rt := service.NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", 0))
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: time.Minute}, rt, issuer.Verifier(), issuer, open)
	errtest.None(t, err)
	for desc, impl := range served {
		server.Register(desc, impl)
	}
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return server.Addr(), append(methods, healthpb.Health_Check_FullMethodName, healthpb.Health_List_FullMethodName)
}

// TestACallThatMayTakeForeverIsRefused on each method that there is.
func TestACallThatMayTakeForeverIsRefused(t *testing.T) {
	addr, methods := everything(t)
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	if len(methods) < 50 {
		t.Fatalf("only %d methods found", len(methods))
	}
	bounded, cancel := context.WithTimeout(t.Context(), waittest.Timeout)
	defer cancel()
	for _, method := range methods {
		err := conn.Invoke(context.Background(), method, &emptypb.Empty{}, &emptypb.Empty{})
		if fault.FromGRPC(err) == nil || fault.Of(fault.FromGRPC(err)).Reason != "deadline_missing" {
			t.Errorf("%s without a deadline: %v", method, err)
		}
		err = conn.Invoke(bounded, method, &emptypb.Empty{}, &emptypb.Empty{})
		if err != nil && fault.Of(fault.FromGRPC(err)).Reason == "deadline_missing" {
			t.Errorf("%s with a deadline: %v", method, err)
		}
	}
	if _, err := dial(t, addr, rpc.ClientConfig{}).GetUser(context.Background(), &identityv1.GetUserRequest{}); errors.Is(err, fault.Invalid) {
		t.Errorf("a client of ours sets none: %v", err)
	}
}

// TestEachHopHasLessTimeThanItsCaller along a chain of three services, and all of them
// stop when the first caller does.
func TestEachHopHasLessTimeThanItsCaller(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	left, ended := make(chan time.Duration, 3), make(chan struct{}, 3)
	var next identityv1.IdentityServiceClient
	for range 3 {
		callee := next
		addr := serve(t, io.Discard, issuer, identity{getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
			deadline, _ := ctx.Deadline()
			left <- time.Until(deadline)
			defer func() { ended <- struct{}{} }()
			if callee != nil {
				return callee.GetUser(ctx, &identityv1.GetUserRequest{})
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}).Addr()
		next = dial(t, addr, rpc.ClientConfig{})
	}
	ctx, cancel := context.WithTimeout(as(token), time.Hour)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		_, err := next.GetUser(ctx, &identityv1.GetUserRequest{})
		answered <- err
	}()
	before := 30 * time.Second // the most that a caller gets, who asks for an hour here
	for hop := range 3 {
		now := <-left
		if most := before - 15*time.Millisecond; hop > 0 && now > most || now > before {
			t.Errorf("hop %d has %s, its caller %s", hop+1, now, before)
		}
		before = now
	}
	cancel()
	for range 3 {
		<-ended
	}
	if err := <-answered; err == nil {
		t.Error("a call that was given up was answered")
	}
}

// broken answers Unavailable to everything, without a word on whether to try again: a
// proxy in between, or a server of somebody else's.
func broken(t *testing.T) (addr string, calls *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	calls = &atomic.Int64{}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
		calls.Add(1)
		return status.Error(codes.Unavailable, "no healthy upstream")
	}))
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	return listener.Addr().String(), calls
}

// TestABackendThatFailsIsNotAskedMuchMore: requests grow by a tenth at most where all of
// them fail, however many services are in between.
func TestABackendThatFailsIsNotAskedMuchMore(t *testing.T) {
	const requests = 200
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	for between := range 3 {
		addr, calls := broken(t)
		counts := []*atomic.Int64{calls}
		for range between {
			callee, count := dial(t, addr, rpc.ClientConfig{}), &atomic.Int64{}
			addr = serve(t, io.Discard, issuer, identity{getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
				count.Add(1)
				return callee.GetUser(ctx, &identityv1.GetUserRequest{})
			}}).Addr()
			counts = append(counts, count)
		}
		client := dial(t, addr, rpc.ClientConfig{})
		ctx, cancel := context.WithTimeout(as(token), waittest.Timeout)
		defer cancel()
		for range requests {
			if _, err := client.GetUser(ctx, &identityv1.GetUserRequest{}); !errors.Is(err, fault.Unavailable) {
				t.Fatalf("got %v", err)
			}
		}
		for i, count := range counts {
			if n := count.Load(); n < requests || n > requests*11/10 {
				t.Errorf("%d services in between: %d requests became %d calls, %d from the end", between, requests, n, i)
			}
		}
	}
}

// TestPastItsCapNothingWaits: neither a server nor a client takes more on, both say so
// at once, and go on afterwards. A busy server is still well.
func TestPastItsCapNothingWaits(t *testing.T) {
	const limit = 4
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	for name, caps := range map[string]struct{ server, client int }{"server": {server: limit}, "client": {client: limit}} {
		t.Run(name, func(t *testing.T) {
			entered, release := make(chan struct{}, limit), make(chan struct{})
			server := serveUpTo(t, caps.server, issuer, identity{getUser: func(context.Context) (*identityv1.GetUserResponse, error) {
				entered <- struct{}{}
				<-release
				return &identityv1.GetUserResponse{}, nil
			}})
			conn, err := rpc.Dial(server.Addr(), rpc.ClientConfig{MaxInFlight: caps.client})
			errtest.None(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			client := identityv1.NewIdentityServiceClient(conn)
			ctx, cancel := context.WithTimeout(as(token), waittest.Timeout)
			defer cancel()
			var calls sync.WaitGroup
			for range limit {
				calls.Go(func() {
					if _, err := client.GetUser(ctx, &identityv1.GetUserRequest{}); err != nil {
						t.Errorf("within the cap: %v", err)
					}
				})
				<-entered
			}
			for range 3 * limit {
				_, err := client.GetUser(ctx, &identityv1.GetUserRequest{})
				if !errors.Is(err, fault.Unavailable) || fault.Of(err).Reason != "overloaded" || fault.Of(err).Retry <= 0 {
					t.Errorf("past the cap: %v", err)
				}
			}
			if _, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}); err != nil {
				t.Errorf("health: %v", err)
			}
			close(release)
			calls.Wait()
			if _, err := client.GetUser(ctx, &identityv1.GetUserRequest{}); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}
