package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// settle waits until all that was told is applied, and checks. A job whose process
// was killed goes on by itself only after a minute; what it was about has been
// applied by then, through another event or the comparison with Stripe at the next
// start, so checks that hold meanwhile are believed.
func (s *storm) settle(ctx context.Context) ([]Check, error) {
	ctx, cancel := context.WithTimeout(ctx, settleIn)
	defer cancel()
	last := time.Time{}
	for {
		waiting, orphans, err := s.pending(ctx)
		if err != nil {
			return nil, err
		}
		if time.Since(last) > 5*time.Second {
			s.log("%d events wait, %d for their dead process", waiting, orphans)
			last = time.Now()
		}
		if waiting == 0 && (orphans == 0 || !s.opts.AwaitOrphans) {
			checks, err := s.check(ctx)
			if err != nil {
				return nil, err
			}
			if orphans == 0 || Sound(checks) {
				return checks, nil
			}
		}
		select {
		case <-ctx.Done():
			checks, err := s.check(context.WithoutCancel(ctx))
			checks = append(checks, Check{Name: "everything is applied in time", Problems: []string{fmt.Sprintf("%d events wait, %d for their dead process", waiting, orphans)}})
			return checks, err
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// pending counts the events that are to be applied. Orphans are those whose job was
// begun by a process that has been killed.
func (s *storm) pending(ctx context.Context) (waiting, orphans int, err error) {
	s.nemesis.mu.Lock()
	started := s.nemesis.started
	s.nemesis.mu.Unlock()
	err = s.database.QueryRow(ctx, `SELECT count(*) FILTER (WHERE NOT orphan), count(*) FILTER (WHERE orphan) FROM (
		SELECT EXISTS (SELECT FROM jobs.river_job j WHERE j.args->>'id' = e.id AND j.state = 'running' AND j.attempted_at < $1) AS orphan
		FROM stripe_events e WHERE e.state = 'pending') p`, started).Scan(&waiting, &orphans)
	return waiting, orphans, err
}

// Sound reports whether no check has found a problem.
func Sound(checks []Check) bool {
	for _, c := range checks {
		if len(c.Problems) > 0 {
			return false
		}
	}
	return true
}

// column reads the first column of all rows.
func (s *storm) column(ctx context.Context, query string) ([]string, error) {
	rows, _ := s.database.Query(ctx, query) // the error comes with the rows
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
