package keyring

import "github.com/prometheus/client_golang/prometheus"

// collector reports the ring as it is when it is asked.
type collector struct {
	ring                *Ring
	age, number, failed *prometheus.Desc
}

func newCollector(r *Ring) collector {
	return collector{
		ring:   r,
		age:    prometheus.NewDesc("identity_key_active_age_seconds", "Seconds since the active key took over, by purpose.", []string{"purpose"}, nil),
		number: prometheus.NewDesc("identity_keys", "Keys by purpose and state (next, active, retired).", []string{"purpose", "state"}, nil),
		failed: prometheus.NewDesc("identity_key_reloads_failed_total", "Readings of the keys that failed; the ring before them stayed in use.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (c collector) Describe(descs chan<- *prometheus.Desc) {
	descs <- c.age
	descs <- c.number
	descs <- c.failed
}

// Collect implements prometheus.Collector.
func (c collector) Collect(metrics chan<- prometheus.Metric) {
	keys, now := c.ring.current.Load().keys, c.ring.clock.Now()
	for _, purpose := range Purposes() {
		number := map[State]int{}
		for _, k := range keys {
			if k.Purpose != purpose {
				continue
			}
			number[k.State]++
			if k.State == Active {
				metrics <- prometheus.MustNewConstMetric(c.age, prometheus.GaugeValue, now.Sub(k.StateSince).Seconds(), string(purpose))
			}
		}
		for _, state := range []State{Next, Active, Retired} {
			metrics <- prometheus.MustNewConstMetric(c.number, prometheus.GaugeValue, float64(number[state]), string(purpose), string(state))
		}
	}
	metrics <- prometheus.MustNewConstMetric(c.failed, prometheus.CounterValue, float64(c.ring.failed.Load()))
}
