package rpc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

func TestHealthListsTheParts(t *testing.T) {
	issuer := authntest.New(t, nil)
	rt := service.NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", slog.LevelInfo))
	rt.Health.GateStart("database", func(context.Context) error { return nil })
	rt.Health.Inform("nats", func(context.Context) error { return errors.New("away") })
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: time.Minute}, rt, issuer.Verifier(), issuer, authn.Policy{})
	errtest.None(t, err)
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	conn, err := rpc.Dial(server.Addr(), rpc.ClientConfig{})
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })

	list, err := healthpb.NewHealthClient(conn).List(t.Context(), &healthpb.HealthListRequest{})
	errtest.None(t, err)
	for name, want := range map[string]healthpb.HealthCheckResponse_ServingStatus{
		"": healthpb.HealthCheckResponse_SERVING, "database": healthpb.HealthCheckResponse_SERVING, "nats": healthpb.HealthCheckResponse_NOT_SERVING,
	} {
		if got := list.GetStatuses()[name].GetStatus(); got != want {
			t.Errorf("%q is %v, want %v", name, got, want)
		}
	}
}
