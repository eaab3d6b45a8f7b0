package obs_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/proxytest"
)

func TestTracesAreNotSentThroughAProxy(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		tracing, err := obs.NewTracing(t.Context(), obs.TraceConfig{Endpoint: "http://collector.invalid:4317", SampleRatio: 1},
			"test", "dev", obs.NewLogger(io.Discard, "test", 0), prometheus.NewRegistry())
		errtest.None(t, err)
		_, span := tracing.Provider.Tracer("test").Start(t.Context(), "span")
		span.End()
		// Longer than it takes to ask a proxy; the collector is never reached.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = tracing.Shutdown(ctx)
	})
	if len(asked) > 0 {
		t.Errorf("a proxy was asked for %v", asked)
	}
}
