package rpc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const internalToken = "0123456789abcdef0123456789abcdef"

type identity struct {
	identityv1.UnimplementedIdentityServiceServer
	getUser      func(context.Context) (*identityv1.GetUserResponse, error)
	setUserRoles func(context.Context) error
}

func (i identity) GetUser(ctx context.Context, _ *identityv1.GetUserRequest) (*identityv1.GetUserResponse, error) {
	return i.getUser(ctx)
}

func (i identity) SetUserRoles(ctx context.Context, _ *identityv1.SetUserRolesRequest) (*identityv1.SetUserRolesResponse, error) {
	return &identityv1.SetUserRolesResponse{}, i.setUserRoles(ctx)
}

func (i identity) CheckAccess(context.Context, *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	return &identityv1.CheckAccessResponse{Active: true}, nil
}

// policy has the rows that the tests are about; the service's other methods are
// public here.
var policy = func() authn.Policy {
	rows := authn.Policy{}
	for _, m := range identityv1.IdentityService_ServiceDesc.Methods {
		rows["/"+identityv1.IdentityService_ServiceDesc.ServiceName+"/"+m.MethodName] = authn.Public
	}
	rows[identityv1.IdentityService_GetUser_FullMethodName] = authn.User
	rows[identityv1.IdentityService_CheckAccess_FullMethodName] = authn.Internal
	rows[identityv1.IdentityService_GetJWKS_FullMethodName] = authn.Internal
	return rows
}()

func serve(t *testing.T, log io.Writer, issuer *authntest.Issuer, impl identity) *rpc.Server {
	t.Helper()
	return serveWith(t, rpc.ServerConfig{}, log, issuer, impl)
}

func serveUpTo(t *testing.T, calls int, issuer *authntest.Issuer, impl identity) *rpc.Server {
	t.Helper()
	return serveWith(t, rpc.ServerConfig{MaxInFlight: calls}, io.Discard, issuer, impl)
}

func serveWith(t *testing.T, cfg rpc.ServerConfig, log io.Writer, issuer *authntest.Issuer, impl identity) *rpc.Server {
	t.Helper()
	cfg.Addr, cfg.InternalToken, cfg.MaxConnectionAge = "127.0.0.1:0", internalToken, time.Minute
	rt := service.NewRuntime("test", "dev", obs.NewLogger(log, "test", slog.LevelDebug))
	server, err := rpc.NewServer(cfg, rt, issuer.Verifier(), issuer, policy)
	errtest.None(t, err)
	server.Register(&identityv1.IdentityService_ServiceDesc, impl)
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return server
}

func dial(t testing.TB, addr string, cfg rpc.ClientConfig) identityv1.IdentityServiceClient {
	t.Helper()
	conn, err := rpc.Dial(addr, cfg)
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return identityv1.NewIdentityServiceClient(conn)
}

func as(token string) context.Context {
	return authn.WithPrincipal(obs.WithRequestID(context.Background(), "req-42"), authn.Principal{Bearer: token})
}

func TestThePersonAndTheRequestIDCrossTheWire(t *testing.T) {
	issuer := authntest.New(t, nil)
	id, token := issuer.User("ann@example.com")
	var seen authn.Principal
	var requestID string
	server := serve(t, io.Discard, issuer, identity{getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
		seen, _ = authn.FromContext(ctx)
		requestID = obs.RequestID(ctx)
		if _, ok := ctx.Deadline(); !ok {
			t.Error("a call must have a deadline")
		}
		return &identityv1.GetUserResponse{}, nil
	}})
	if _, err := dial(t, server.Addr(), rpc.ClientConfig{}).GetUser(as(token), &identityv1.GetUserRequest{}); err != nil {
		t.Fatal(err)
	}
	if seen.UserID != id || requestID != "req-42" {
		t.Fatalf("got %+v and %q", seen, requestID)
	}
}

// TestOnlyServicesSayWhereARequestCameFrom: a client that reaches a service by
// itself may send what it likes.
func TestOnlyServicesSayWhereARequestCameFrom(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	var seen clientinfo.Info
	server := serve(t, io.Discard, issuer, identity{getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
		seen = clientinfo.FromContext(ctx)
		return &identityv1.GetUserResponse{}, nil
	}})
	sent := clientinfo.Info{IP: "203.0.113.7", UserAgent: "Bücherwurm/1\x01"}
	spoof := metadata.Pairs("x-fledge-client-ip", sent.IP, "x-fledge-user-agent-bin", sent.UserAgent)
	for name, tt := range map[string]struct {
		ctx  context.Context
		cfg  rpc.ClientConfig
		want clientinfo.Info
	}{
		"a service":                        {clientinfo.With(as(token), sent), rpc.ClientConfig{InternalToken: internalToken}, sent},
		"a service that does not know":     {as(token), rpc.ClientConfig{InternalToken: internalToken}, clientinfo.Info{}},
		"somebody else":                    {metadata.NewOutgoingContext(as(token), spoof), rpc.ClientConfig{}, clientinfo.Info{}},
		"somebody with another token":      {metadata.NewOutgoingContext(as(token), spoof), rpc.ClientConfig{InternalToken: "another-token-another-token-anoth"}, clientinfo.Info{}},
		"a service that was told two ways": {metadata.NewOutgoingContext(clientinfo.With(as(token), sent), spoof), rpc.ClientConfig{InternalToken: internalToken}, clientinfo.Info{}},
	} {
		if _, err := dial(t, server.Addr(), tt.cfg).GetUser(tt.ctx, &identityv1.GetUserRequest{}); err != nil {
			t.Fatal(err)
		}
		if seen != tt.want {
			t.Errorf("%s: %+v, want %+v", name, seen, tt.want)
		}
	}
}

func TestFaultsAreRebuiltAndCausesStayHome(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	var log bytes.Buffer
	server := serve(t, &log, issuer, identity{getUser: func(context.Context) (*identityv1.GetUserResponse, error) {
		return nil, fault.New(fault.Conflict, "busy", "Busy.").Wrap(errors.New("row lock 4711"))
	}})
	_, err := dial(t, server.Addr(), rpc.ClientConfig{}).GetUser(as(token), &identityv1.GetUserRequest{})
	if !errors.Is(err, fault.Conflict) || fault.Of(err).Reason != "busy" || strings.Contains(err.Error(), "4711") {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(log.String(), "row lock 4711") || !strings.Contains(log.String(), "req-42") {
		t.Fatalf("the log must have the cause and the request: %s", log.String())
	}
}

func TestAPanicIsAnInternalFault(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	server := serve(t, io.Discard, issuer, identity{getUser: func(context.Context) (*identityv1.GetUserResponse, error) { panic("boom") }})
	if _, err := dial(t, server.Addr(), rpc.ClientConfig{}).GetUser(as(token), &identityv1.GetUserRequest{}); !errors.Is(err, fault.Internal) {
		t.Fatalf("got %v", err)
	}
}

func TestPolicyIsEnforced(t *testing.T) {
	issuer := authntest.New(t, nil)
	server := serve(t, io.Discard, issuer, identity{})
	stranger := dial(t, server.Addr(), rpc.ClientConfig{})
	if _, err := stranger.GetUser(t.Context(), &identityv1.GetUserRequest{}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("anonymous: %v", err)
	}
	if _, err := stranger.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{}); !errors.Is(err, fault.NotFound) {
		t.Errorf("internal method for a stranger: %v", err)
	}
	colleague := dial(t, server.Addr(), rpc.ClientConfig{InternalToken: internalToken})
	if _, err := colleague.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{}); err != nil {
		t.Errorf("internal method for a service: %v", err)
	}
}

func TestAMethodWithoutAPolicyRowCannotBeServed(t *testing.T) {
	issuer := authntest.New(t, nil)
	rt := service.NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", 0))
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0"}, rt, issuer.Verifier(), issuer, authn.Policy{})
	errtest.None(t, err)
	server.Register(&identityv1.IdentityService_ServiceDesc, identity{})
	if _, err := server.Unit().Start(t.Context()); err == nil || !strings.Contains(err.Error(), "GetUser has no row") {
		t.Fatalf("got %v", err)
	}
}

func TestACallEndsWhenTheServerHangs(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	server := serve(t, io.Discard, issuer, identity{getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, cancel := context.WithTimeout(as(token), 200*time.Millisecond)
	defer cancel()
	if _, err := dial(t, server.Addr(), rpc.ClientConfig{}).GetUser(ctx, &identityv1.GetUserRequest{}); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("got %v", err)
	}
}

func TestNobodyListeningIsUnavailable(t *testing.T) {
	if _, err := dial(t, "127.0.0.1:1", rpc.ClientConfig{}).GetUser(t.Context(), &identityv1.GetUserRequest{}); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("got %v", err)
	}
}

// TestAListOfAddressesIsServedByWhoeverIsThere calls two replicas and one that is
// not there, and then only one of the two.
func TestAListOfAddressesIsServedByWhoeverIsThere(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	var served [2]atomic.Int32
	var addresses []string
	for i := range served {
		addresses = append(addresses, serve(t, io.Discard, issuer, identity{getUser: func(context.Context) (*identityv1.GetUserResponse, error) {
			served[i].Add(1)
			return &identityv1.GetUserResponse{}, nil
		}}).Addr())
	}
	call := func(client identityv1.IdentityServiceClient) {
		t.Helper()
		if _, err := client.GetUser(as(token), &identityv1.GetUserRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	all := dial(t, strings.Join(append(addresses, "127.0.0.1:1"), ","), rpc.ClientConfig{})
	waittest.Eventually(t, "both replicas take calls", func() bool {
		call(all)
		return served[0].Load() > 0 && served[1].Load() > 0
	})
	before := served[1].Load()
	call(dial(t, "127.0.0.1:1, "+addresses[0], rpc.ClientConfig{}))
	if served[1].Load() != before {
		t.Error("a replica that is not listed was called")
	}
}
