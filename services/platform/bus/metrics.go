package bus

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Results of one delivery, as the metrics name them.
const (
	resultApplied   = "applied"
	resultDuplicate = "duplicate"
	resultRetried   = "retried"
	resultDead      = "dead"
)

var results = []string{resultApplied, resultDuplicate, resultRetried, resultDead}

type metrics struct {
	published       prometheus.Counter
	publishFailures prometheus.Counter
	refilled        prometheus.Counter
	deliveries      *prometheus.CounterVec
	lag             *prometheus.HistogramVec
	running         *prometheus.GaugeVec
	backlog         *prometheus.GaugeVec
	settled         *prometheus.GaugeVec
}

func newMetrics(reg *prometheus.Registry, connected func() bool) *metrics {
	m := &metrics{
		published: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bus_published_total", Help: "Events that the stream has acknowledged."}),
		publishFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bus_publish_failures_total", Help: "Events that the stream did not acknowledge in time; they are tried again."}),
		refilled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bus_refilled_total", Help: "Events that the stream had lost and that are published again."}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bus_deliveries_total", Help: "Events taken from a stream, by what became of them."}, []string{"consumer", "result"}),
		lag: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bus_lag_seconds", Help: "From an event's time to its committed effect.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 3600}}, []string{"consumer"}),
		running: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "bus_consumer_running", Help: "1 while the stream answers a consumer that asks for messages."}, []string{"consumer"}),
		backlog: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "bus_consumer_backlog", Help: "Messages of the stream that a consumer has not settled."}, []string{"consumer"}),
		settled: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "bus_consumer_settled_sequence", Help: "Sequence in the stream up to which a consumer has settled every message."}, []string{"consumer"}),
	}
	up := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bus_connected", Help: "1 while NATS answers."}, func() float64 {
		if connected() {
			return 1
		}
		return 0
	})
	reg.MustRegister(m.published, m.publishFailures, m.refilled, m.deliveries, m.lag, m.running, m.backlog, m.settled, up)
	return m
}
