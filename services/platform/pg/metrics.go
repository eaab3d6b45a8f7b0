package pg

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

func registerMetrics(reg *prometheus.Registry, pool *pgxpool.Pool) error {
	gauges := map[string]struct {
		help  string
		value func(*pgxpool.Stat) float64
	}{
		"pg_pool_acquired_conns": {"Connections in use.", func(s *pgxpool.Stat) float64 { return float64(s.AcquiredConns()) }},
		"pg_pool_max_conns":      {"Upper bound of connections.", func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) }},
	}
	for name, g := range gauges {
		gauge := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: g.help}, func() float64 { return g.value(pool.Stat()) })
		if err := reg.Register(gauge); err != nil {
			return err
		}
	}
	return reg.Register(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: "pg_pool_wait_seconds_total", Help: "Time spent waiting for a connection."},
		func() float64 { return pool.Stat().AcquireDuration().Seconds() }))
}
