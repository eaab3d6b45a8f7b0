package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/obs"
)

// RegisterMetrics registers what the queue in the schema has to do:
// jobs_waiting by state, and jobs_oldest_seconds since the oldest of them was due. The label schema
// tells the queues of a service apart.
func RegisterMetrics(reg prometheus.Registerer, pool *pgxpool.Pool, schema string) error {
	reg = prometheus.WrapRegistererWith(prometheus.Labels{"schema": schema}, reg)
	table := pgx.Identifier{schema, "river_job"}.Sanitize()
	waiting := obs.ScrapeGauge{
		Name: "jobs_waiting", Help: "Jobs that are not done, by state (available, running, retryable, scheduled).", Labels: []string{"state"},
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			rows, err := pool.Query(ctx, fmt.Sprintf(`SELECT s.state::text, count(j.id) FROM unnest('{available,running,retryable,scheduled}'::%s[]) AS s (state)
				LEFT JOIN %s AS j ON j.state = s.state GROUP BY 1`, pgx.Identifier{schema, "river_job_state"}.Sanitize(), table))
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, func(row pgx.CollectableRow) (obs.Sample, error) {
				var state string
				var jobs int64
				err := row.Scan(&state, &jobs)
				return obs.Sample{Labels: []string{state}, Value: float64(jobs)}, err
			})
		},
	}
	oldest := obs.ScrapeGauge{
		Name: "jobs_oldest_seconds", Help: "How long the oldest job has been due that nobody has taken up; 0 without one.",
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			var seconds float64
			err := pool.QueryRow(ctx, fmt.Sprintf(`SELECT coalesce(greatest(extract(epoch FROM now() - min(scheduled_at)), 0), 0)::float8
				FROM %s WHERE state IN ('available', 'retryable', 'scheduled')`, table)).Scan(&seconds)
			return []obs.Sample{{Value: seconds}}, err
		},
	}
	if err := waiting.Register(reg); err != nil {
		return err
	}
	return oldest.Register(reg)
}
