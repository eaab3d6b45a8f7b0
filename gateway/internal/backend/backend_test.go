package backend_test

import (
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/rpc"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func dial(t *testing.T, addr string) *backend.Services {
	t.Helper()
	services, err := backend.Dial(backend.Config{Identity: addr, Billing: addr, Waitlist: addr, Support: addr, Releases: addr}, rpc.ClientConfig{})
	errtest.None(t, err)
	t.Cleanup(func() { _ = services.Close() })
	return services
}

// TestConnectWaitsForServices: a service that comes a moment later is waited for.
func TestConnectWaitsForServices(t *testing.T) {
	listener := listen(t)
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, health.NewServer())
	t.Cleanup(server.Stop)
	services := dial(t, listener.Addr().String())
	connected := make(chan struct{})
	go func() { services.Connect(t.Context(), time.Minute); close(connected) }()
	select {
	case <-connected:
		t.Fatal("connected to what does not serve yet")
	case <-time.After(50 * time.Millisecond):
	}
	go func() { _ = server.Serve(listener) }()
	<-connected
}

// TestConnectWaitsBrieflyForTheOthers: all but one answer, and the long timeout is only for the first.
func TestConnectWaitsBrieflyForTheOthers(t *testing.T) {
	listener, gone := listen(t), listen(t)
	_ = gone.Close()
	server := grpc.NewServer()
	t.Cleanup(server.Stop)
	go func() { _ = server.Serve(listener) }()
	here := listener.Addr().String()
	services, err := backend.Dial(backend.Config{Identity: here, Billing: gone.Addr().String(), Waitlist: here, Support: here, Releases: here}, rpc.ClientConfig{})
	errtest.None(t, err)
	t.Cleanup(func() { _ = services.Close() })
	services.Connect(t.Context(), time.Hour) // does not come back in time otherwise
}

// TestConnectDoesNotWaitForEver: the gateway starts with all of them away.
func TestConnectDoesNotWaitForEver(t *testing.T) {
	gone := listen(t)
	_ = gone.Close()
	dial(t, gone.Addr().String()).Connect(t.Context(), 10*time.Millisecond)
}
