package telemetry

import (
	"context"
	"encoding/hex"
	"net"
	"sync"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"fledge.dev/services/platform/errtest"
)

// span is a span as it arrived.
type span struct {
	service, name, trace string
	root                 bool
	*tracev1.Span
}

// collector is an OpenTelemetry collector: the real protocol, kept in memory.
type collector struct {
	collectorv1.UnimplementedTraceServiceServer
	url string

	mu    sync.Mutex
	spans []span
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	errtest.None(t, err)
	c := &collector{url: "http://" + listener.Addr().String()}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return c
}

// Export implements the collector's side of OTLP.
func (c *collector) Export(_ context.Context, req *collectorv1.ExportTraceServiceRequest) (*collectorv1.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range req.GetResourceSpans() {
		service := ""
		for _, attribute := range resource.GetResource().GetAttributes() {
			if attribute.GetKey() == "service.name" {
				service = attribute.GetValue().GetStringValue()
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, span{service, s.GetName(), hex.EncodeToString(s.GetTraceId()), len(s.GetParentSpanId()) == 0, s})
			}
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

// having returns the spans of the trace in which the request id was given.
func (c *collector) having(requestID string) (trace string, spans []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		for _, attribute := range s.GetAttributes() {
			if attribute.GetKey() == "fledge.request_id" && attribute.GetValue().GetStringValue() == requestID {
				trace = s.trace
			}
		}
	}
	for _, s := range c.spans {
		if s.trace == trace {
			spans = append(spans, s)
		}
	}
	return trace, spans
}
