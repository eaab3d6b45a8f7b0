package obs

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
)

const traceparent = "traceparent"

// Traceparent is the trace of ctx as W3C writes it, "" outside of traces.
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[traceparent]
}

// WithTraceparent returns ctx in the trace that Traceparent has written down.
func WithTraceparent(ctx context.Context, written string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: written})
}
