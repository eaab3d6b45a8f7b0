package bus

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceparent is the trace of ctx as W3C writes it, "" outside of traces.
func traceparent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[headerTraceparent]
}

// within continues the trace that traceparent has written down.
func within(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{headerTraceparent: traceparent})
}

func (c *Conn) startSpan(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	return c.rt.Tracer.Tracer("fledge.dev/services/platform/bus").Start(ctx, name,
		trace.WithSpanKind(kind), trace.WithAttributes(append(attributes, attribute.String("messaging.system", "nats"))...))
}

// tracePublication starts a span in the trace of each row that has one.
func (c *Conn) tracePublication(ctx context.Context, rows []pendingRow) (end func()) {
	var spans []trace.Span
	for _, row := range rows {
		if row.Traceparent == "" {
			continue
		}
		_, span := c.startSpan(within(ctx, row.Traceparent), "publish "+row.Type, trace.SpanKindProducer,
			attribute.String("messaging.message.id", row.ID.String()))
		spans = append(spans, span)
	}
	return func() {
		for _, span := range spans {
			span.End()
		}
	}
}
