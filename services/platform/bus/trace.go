package bus

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"fledge.dev/services/platform/obs"
)

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
		_, span := c.startSpan(obs.WithTraceparent(ctx, row.Traceparent), "publish "+row.Type, trace.SpanKindProducer,
			attribute.String("messaging.message.id", row.ID.String()))
		spans = append(spans, span)
	}
	return func() {
		for _, span := range spans {
			span.End()
		}
	}
}
