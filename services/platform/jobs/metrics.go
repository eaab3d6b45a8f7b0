package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/obs"
)

// counted is where counting the jobs of a state ends.
const counted = 100_000

// RegisterMetrics registers what the queue in the schema has to do:
// jobs_waiting by state, and jobs_oldest_seconds since the oldest of them was due. The label schema
// tells the queues of a service apart. However many jobs wait, few are read: both go by River's index.
func RegisterMetrics(reg prometheus.Registerer, pool *pgxpool.Pool, schema, queue string) error {
	reg = prometheus.WrapRegistererWith(prometheus.Labels{"schema": schema}, reg)
	table, states := pgx.Identifier{schema, "river_job"}.Sanitize(), pgx.Identifier{schema, "river_job_state"}.Sanitize()
	waiting := obs.ScrapeGauge{
		Name: "jobs_waiting", Help: "Jobs that are not done, by state (available, running, retryable, scheduled), up to 100,000 of each.", Labels: []string{"state"},
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			rows, err := pool.Query(ctx, fmt.Sprintf(`SELECT s.state::text, (SELECT count(*) FROM
					(SELECT FROM %s WHERE state = s.state ORDER BY queue, priority, scheduled_at, id LIMIT %d) AS jobs)
				FROM unnest('{available,running,retryable,scheduled}'::%s[]) AS s (state)`, table, counted, states))
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
			err := pool.QueryRow(ctx, fmt.Sprintf(`SELECT coalesce(greatest(extract(epoch FROM now() - min(first.scheduled_at)), 0), 0)::float8
				FROM unnest('{available,retryable,scheduled}'::%s[]) AS s (state), generate_series(1, 4) AS p (priority),
					LATERAL (SELECT scheduled_at FROM %s WHERE state = s.state AND queue = $1 AND priority = p.priority
						ORDER BY scheduled_at, id LIMIT 1) AS first`, states, table), queue).Scan(&seconds)
			return []obs.Sample{{Value: seconds}}, err
		},
	}
	return errors.Join(waiting.Register(reg), oldest.Register(reg))
}
