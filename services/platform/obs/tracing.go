package obs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"
)

const (
	// exportTimeout bounds one batch of spans on its way to the collector.
	exportTimeout = 5 * time.Second
	// reportInterval keeps a collector that is away from filling the log.
	reportInterval = time.Minute
)

// TraceConfig says where spans go.
type TraceConfig struct {
	// Endpoint is an OpenTelemetry collector that takes OTLP over gRPC,
	// "http://collector:4317", or https for TLS. "" records nothing. The environment's
	// proxy is not used: a collector is in the cluster. The standard
	// OTEL_EXPORTER_OTLP_HEADERS and …_CERTIFICATE variables work too.
	Endpoint string `env:"OTLP_ENDPOINT"`
	// SampleRatio is the share of traces that begin in this process and are
	// recorded, 0 to 1. Traces that another process began are recorded if it does.
	SampleRatio float64 `env:"OTLP_SAMPLE_RATIO" envDefault:"1"`
}

// Validate checks the address and the ratio.
func (c TraceConfig) Validate() error {
	var errs []error
	if c.Endpoint != "" {
		u, err := url.Parse(c.Endpoint)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Path != "" || u.User != nil {
			errs = append(errs, fmt.Errorf("OTLP_ENDPOINT: %q is not an address such as http://collector:4317", c.Endpoint))
		}
	}
	if math.IsNaN(c.SampleRatio) || c.SampleRatio < 0 || c.SampleRatio > 1 {
		errs = append(errs, errors.New("OTLP_SAMPLE_RATIO must lie between 0 and 1"))
	}
	return errors.Join(errs...)
}

// Tracing is a process's tracer provider and the end of it.
type Tracing struct {
	Provider trace.TracerProvider
	// Shutdown sends what is left to the collector, and waits for it no longer
	// than its context.
	Shutdown func(context.Context) error
}

// NewTracing returns the tracer provider of a process. Without an endpoint it is
// one that does nothing. The collector may be away: spans are dropped then, and
// nobody waits. It registers traces_spans_total with reg.
func NewTracing(ctx context.Context, cfg TraceConfig, service, version string, log *slog.Logger, reg prometheus.Registerer) (Tracing, error) {
	if cfg.Endpoint == "" {
		return Tracing{Provider: noop.NewTracerProvider(), Shutdown: func(context.Context) error { return nil }}, nil
	}
	otlp, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(cfg.Endpoint), otlptracegrpc.WithTimeout(exportTimeout),
		otlptracegrpc.WithDialOption(grpc.WithNoProxy()))
	if err != nil {
		return Tracing{}, fmt.Errorf("obs: traces: %w", err)
	}
	spans := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "traces_spans_total", Help: "Spans handed to the collector, by result: exported, failed.",
	}, []string{"result"})
	if err := reg.Register(spans); err != nil {
		return Tracing{}, fmt.Errorf("obs: traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&reporting{SpanExporter: otlp, log: log, spans: spans}, sdktrace.WithExportTimeout(exportTimeout)),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(cfg.SampleRatio))),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service), attribute.String("service.namespace", "fledge"), attribute.String("service.version", version))),
	)
	return Tracing{Provider: provider, Shutdown: provider.Shutdown}, nil
}

// reporting keeps failures of the collector with this process: the library
// would hand them to a handler that all processes of one program share.
type reporting struct {
	sdktrace.SpanExporter
	log   *slog.Logger
	spans *prometheus.CounterVec
	last  time.Time // one goroutine exports
}

func (r *reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		r.spans.WithLabelValues("exported").Add(float64(len(spans)))
		return nil
	}
	r.spans.WithLabelValues("failed").Add(float64(len(spans)))
	if time.Since(r.last) >= reportInterval {
		r.last = time.Now()
		r.log.Warn("spans cannot be sent, dropping them", "error", err)
	}
	return nil
}

// Records says whether spans of provider can go anywhere.
func Records(provider trace.TracerProvider) bool {
	_, off := provider.(noop.TracerProvider)
	return provider != nil && !off
}
