package api_test

import (
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// healthFake is a service that only tells how it is.
type healthFake struct {
	*health.Server
	addr string
	stop func()
}

func newHealth(t *testing.T) *healthFake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &healthFake{Server: health.NewServer(), addr: listener.Addr().String()}
	f.set("database", true)
	f.set("nats", true)
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	f.stop = server.Stop
	return f
}

func (f *healthFake) set(part string, up bool) {
	status := healthpb.HealthCheckResponse_NOT_SERVING
	if up {
		status = healthpb.HealthCheckResponse_SERVING
	}
	f.SetServingStatus(part, status)
}
