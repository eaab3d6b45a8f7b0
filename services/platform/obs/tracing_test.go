package obs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

func TestTraceConfig(t *testing.T) {
	for address, valid := range map[string]bool{
		"": true, "http://collector:4317": true, "https://otlp.example": true,
		"collector:4317": false, "grpc://collector": false, "http://": false, "http://collector/v1/traces": false, "http://me:secret@collector": false,
	} {
		if err := (obs.TraceConfig{Endpoint: address, SampleRatio: 1}).Validate(); (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
	}
	for ratio, valid := range map[float64]bool{0: true, 0.25: true, 1: true, -0.1: false, 1.1: false} {
		if err := (obs.TraceConfig{SampleRatio: ratio}).Validate(); (err == nil) != valid {
			t.Errorf("ratio %v: %v", ratio, err)
		}
	}
}

func TestWithoutAnEndpointNothingIsRecorded(t *testing.T) {
	tracing := newTracing(t, "", nil)
	if obs.Records(tracing.Provider) || obs.Records(nil) {
		t.Error("it records")
	}
	if _, span := tracing.Provider.Tracer("test").Start(t.Context(), "work"); span.IsRecording() || span.SpanContext().IsValid() {
		t.Error("there is a span")
	}
}

// TestLogLinesNameTheTrace also has a collector that is not there, which must not
// be noticed but in the log.
func TestLogLinesNameTheTrace(t *testing.T) {
	var out bytes.Buffer
	log := obs.NewLogger(&out, "waitlist", slog.LevelInfo)
	tracing := newTracing(t, "http://127.0.0.1:1", slog.New(slog.DiscardHandler))
	if !obs.Records(tracing.Provider) {
		t.Error("it records nothing")
	}
	ctx, span := tracing.Provider.Tracer("test").Start(t.Context(), "work")
	log.InfoContext(ctx, "hello")
	span.End()

	var line map[string]any
	errtest.None(t, json.Unmarshal(out.Bytes(), &line))
	if line["trace_id"] != span.SpanContext().TraceID().String() || line["span_id"] != span.SpanContext().SpanID().String() {
		t.Errorf("got %v", line)
	}
	stopping, cancel := context.WithCancel(t.Context())
	cancel()
	_ = tracing.Shutdown(stopping)
}

func newTracing(t testing.TB, endpoint string, log *slog.Logger) obs.Tracing {
	t.Helper()
	tracing, err := obs.NewTracing(t.Context(), obs.TraceConfig{Endpoint: endpoint, SampleRatio: 1}, "test", "dev", log, prometheus.NewRegistry())
	errtest.None(t, err)
	return tracing
}
