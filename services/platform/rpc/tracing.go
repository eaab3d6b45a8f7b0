package rpc

import (
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc/filters"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"fledge.dev/services/platform/obs"
)

// traceServer and traceClient install nothing where nothing is recorded.
func traceServer(provider trace.TracerProvider) []grpc.ServerOption {
	if !obs.Records(provider) {
		return nil
	}
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(tracing(provider)...))}
}

func traceClient(provider trace.TracerProvider) []grpc.DialOption {
	if !obs.Records(provider) {
		return nil
	}
	return []grpc.DialOption{grpc.WithStatsHandler(otelgrpc.NewClientHandler(tracing(provider)...))}
}

// tracing leaves out health checks, and the library's metrics, because ours work without
// a collector. Each option replaces one of the library's globals.
func tracing(provider trace.TracerProvider) []otelgrpc.Option {
	return []otelgrpc.Option{
		otelgrpc.WithTracerProvider(provider),
		otelgrpc.WithMeterProvider(noop.NewMeterProvider()),
		otelgrpc.WithPropagators(propagation.TraceContext{}),
		otelgrpc.WithFilter(filters.Not(filters.HealthCheck())),
	}
}
