package authntest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

const internalToken = config.Secret("0123456789abcdef0123456789abcdef")

// serviceCaller is another service, which shows the internal token.
const serviceCaller Caller = "a service"

// Matrix runs every method of a service behind the platform's real server with
// the service's own policy and calls it as every kind of caller. want says, independently
// of the policy and by the methods' short names, who may call them. The test fails for a
// method without a row, for a row without a method, and when a refused call reaches its
// handler.
func Matrix(t *testing.T, desc *grpc.ServiceDesc, policy authn.Policy, want map[string]authn.Access) {
	t.Helper()
	served := map[string]bool{}
	for _, m := range desc.Methods {
		served[m.MethodName] = true
		if _, ok := want[m.MethodName]; !ok {
			t.Errorf("%s has no row in the matrix", m.MethodName)
		}
	}
	for name := range want {
		if !served[name] {
			t.Errorf("%s has a row in the matrix and is not a method", name)
		}
	}
	for full := range policy {
		if name, ok := strings.CutPrefix(full, "/"+desc.ServiceName+"/"); !ok || !served[name] {
			t.Errorf("%s has a row in the policy and is not a method", full)
		}
	}
	if len(desc.Streams) > 0 {
		t.Error("the guard knows calls only, and there are streams")
	}
	if t.Failed() {
		return
	}
	m := serve(t, desc, policy)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		for caller, token := range m.callers {
			m.try(t, name, caller, token, want[name])
		}
	}
}

// matrix is a service whose handlers only count.
type matrix struct {
	callers         map[Caller]string
	prefix          string
	people, service *grpc.ClientConn
	reached         atomic.Int64
}

func serve(t *testing.T, desc *grpc.ServiceDesc, policy authn.Policy) *matrix {
	t.Helper()
	issuer := New(t, nil)
	m := &matrix{callers: issuer.Callers(), prefix: "/" + desc.ServiceName + "/"}
	m.callers[serviceCaller] = ""
	rt := service.NewRuntime("matrix", "test", slog.New(slog.DiscardHandler))
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken}, rt, issuer.Verifier(), issuer, policy)
	errtest.None(t, err)
	server.Register(m.counting(desc), nil)
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	m.people, m.service = dial(t, server.Addr(), ""), dial(t, server.Addr(), internalToken)
	return m
}

func dial(t *testing.T, addr string, internal config.Secret) *grpc.ClientConn {
	t.Helper()
	conn, err := rpc.Dial(addr, rpc.ClientConfig{InternalToken: internal})
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// counting is the service with the same methods and handlers that only count.
func (m *matrix) counting(desc *grpc.ServiceDesc) *grpc.ServiceDesc {
	copied := &grpc.ServiceDesc{ServiceName: desc.ServiceName, Metadata: desc.Metadata}
	for _, method := range desc.Methods {
		info := &grpc.UnaryServerInfo{FullMethod: m.prefix + method.MethodName}
		copied.Methods = append(copied.Methods, grpc.MethodDesc{
			MethodName: method.MethodName,
			Handler: func(_ any, ctx context.Context, _ func(any) error, admit grpc.UnaryServerInterceptor) (any, error) {
				return admit(ctx, &emptypb.Empty{}, info, func(context.Context, any) (any, error) {
					m.reached.Add(1)
					return &emptypb.Empty{}, nil
				})
			},
		})
	}
	return copied
}

func (m *matrix) try(t *testing.T, name string, caller Caller, token string, access authn.Access) {
	t.Helper()
	conn, ctx := m.people, t.Context()
	if caller == serviceCaller {
		conn = m.service
	}
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	before := m.reached.Load()
	err := conn.Invoke(ctx, m.prefix+name, &emptypb.Empty{}, &emptypb.Empty{})
	want := verdict(access, caller)
	if got := kind(err); got != want {
		t.Errorf("%s as %s: %s, want %s", name, caller, said(got), said(want))
	}
	if reached := m.reached.Load() > before; reached != (want == "") {
		t.Errorf("%s as %s: reached the handler: %t", name, caller, reached)
	}
}

// verdict is how a call must end; "" is success.
func verdict(access authn.Access, caller Caller) fault.Kind {
	if access == authn.Internal {
		if caller == serviceCaller {
			return ""
		}
		return fault.NotFound
	}
	switch caller {
	case Nobody, serviceCaller:
		if access == authn.Public {
			return ""
		}
		return fault.Unauthenticated
	case Expired, Garbage, ForeignIssuer, ForeignKey:
		return fault.Unauthenticated
	}
	if caller == Server {
		if access == authn.UserOrServer || access == authn.ActiveOrServer {
			return ""
		}
		return fault.Forbidden
	}
	switch access {
	case authn.Active, authn.ActiveOrServer:
		return acting(caller, Disabled)
	case authn.Staff:
		return acting(caller, Disabled, UserU, UserV, AdminMac, OldAdmin, OneFactor)
	case authn.Admin:
		return acting(caller, Disabled, UserU, UserV, Moderator, AdminMac, OldAdmin, OneFactor)
	case authn.FreshAdmin:
		return acting(caller, Disabled, UserU, UserV, Moderator, AdminMac, OldAdmin, EarlierAdmin, OneFactor)
	}
	return ""
}

// acting is how a call ends whose caller identity is asked about.
func acting(caller Caller, forbidden ...Caller) fault.Kind {
	switch {
	case caller == SignedOut:
		return fault.Unauthenticated
	case slices.Contains(forbidden, caller):
		return fault.Forbidden
	}
	return ""
}

func kind(err error) fault.Kind {
	if err == nil {
		return ""
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Kind
	}
	return fault.Kind(fmt.Sprintf("not a fault: %v", err))
}

func said(k fault.Kind) string {
	if k == "" {
		return "let in"
	}
	return string(k)
}
