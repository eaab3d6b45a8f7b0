package rpc_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// BenchmarkCall is one call over loopback: without a collector it must cost what
// it did before there were traces.
func BenchmarkCall(b *testing.B) {
	exporter := tracetest.NewNoopExporter()
	for name, provider := range map[string]trace.TracerProvider{
		"off":            noop.NewTracerProvider(),
		"one in hundred": sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(.01)))),
		"all":            sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter)),
	} {
		b.Run(name, func(b *testing.B) {
			client := tracedClient(b, provider)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.CheckAccess(b.Context(), &identityv1.CheckAccessRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestACallIsTwoSpansOfOneTrace(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	client := tracedClient(t, sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter)))
	if _, err := client.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{}); err != nil {
		t.Fatal(err)
	}
	// The server ends its span after the answer has left.
	waittest.Eventually(t, "two spans", func() bool { return len(exporter.GetSpans()) == 2 })
	spans := exporter.GetSpans()
	if len(spans) != 2 || spans[0].SpanContext.TraceID() != spans[1].SpanContext.TraceID() || spans[0].SpanKind == spans[1].SpanKind {
		t.Errorf("got %+v", spans)
	}
}

func tracedClient(t testing.TB, provider trace.TracerProvider) identityv1.IdentityServiceClient {
	t.Helper()
	issuer := authntest.New(t, nil)
	rt := service.NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", slog.LevelInfo))
	rt.Tracer = provider
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: time.Hour}, rt, issuer.Verifier(), issuer, policy)
	errtest.None(t, err)
	server.Register(&identityv1.IdentityService_ServiceDesc, identity{})
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return dial(t, server.Addr(), rpc.ClientConfig{InternalToken: internalToken, Runtime: rt})
}
