package rpc

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"fledge.dev/services/platform/fault"
)

type serverMetrics struct {
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	panics   prometheus.Counter
}

func newServerMetrics(reg *prometheus.Registry) (*serverMetrics, error) {
	m := &serverMetrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "rpc_server_duration_seconds", Help: "Time to answer a call, by method and outcome (ok, canceled, or a kind of fault).",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"method", "outcome"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "rpc_server_in_flight", Help: "Calls being served."}),
		panics:   prometheus.NewCounter(prometheus.CounterOpts{Name: "rpc_server_panics_total", Help: "Panics in methods."}),
	}
	for _, c := range []prometheus.Collector{m.duration, m.inFlight, m.panics} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// canceled is the outcome of a call that failed after its caller had left.
const canceled = "canceled"

// outcome is "ok", canceled, or the kind of the call's fault. ctx is the caller's own.
func outcome(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return "ok"
	case left(ctx):
		return canceled
	default:
		return string(fault.Of(err).Kind)
	}
}

// left reports whether the caller has left, as a browser does that closes a page. A caller
// whose time is over cancels its call too; that is a timeout.
func left(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return errors.Is(ctx.Err(), context.Canceled) && (!ok || time.Until(deadline) > reserve)
}

func (m *serverMetrics) observe(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	m.inFlight.Inc()
	defer m.inFlight.Dec()
	start := time.Now()
	resp, err := next(ctx, req)
	m.duration.WithLabelValues(info.FullMethod, outcome(ctx, err)).Observe(time.Since(start).Seconds())
	return resp, err
}
