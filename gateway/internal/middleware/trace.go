package middleware

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"fledge.dev/services/platform/obs"
)

// Trace begins a trace with each request. A client's traceparent is ignored: it could have
// every request recorded, or join one person's trace to another's. A span holds no address,
// path, query or header of the client.
func Trace(provider trace.TracerProvider) gin.HandlerFunc {
	if !obs.Records(provider) {
		return func(*gin.Context) {}
	}
	tracer := provider.Tracer("fledge.dev/gateway")
	return func(c *gin.Context) {
		route := c.FullPath()
		if route == "" {
			route = unmatched
		}
		ctx := c.Request.Context()
		ctx, span := tracer.Start(ctx, method(c.Request)+" "+route, trace.WithSpanKind(trace.SpanKindServer), trace.WithNewRoot(),
			trace.WithAttributes(
				attribute.String("http.request.method", method(c.Request)), attribute.String("http.route", route),
				attribute.String("fledge.request_id", obs.RequestID(ctx))))
		aborts := true
		defer func() {
			status := c.Writer.Status()
			span.SetAttributes(attribute.Int("http.response.status_code", status))
			if aborts || status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		c.Request = c.Request.WithContext(ctx)
		c.Next()
		aborts = false
	}
}
