package rpc

import (
	"context"
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
			Name: "rpc_server_duration_seconds", Help: "Time to answer a call, by method and kind of outcome.",
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

func (m *serverMetrics) observe(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	m.inFlight.Inc()
	defer m.inFlight.Dec()
	start := time.Now()
	resp, err := next(ctx, req)
	outcome := "ok"
	if err != nil {
		outcome = string(fault.Of(err).Kind)
	}
	m.duration.WithLabelValues(info.FullMethod, outcome).Observe(time.Since(start).Seconds())
	return resp, err
}
