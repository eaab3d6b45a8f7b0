package stall

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/metrics"
	"fledge.dev/services"
)

const (
	// releaseTimeout is how long connections may take to be given back.
	releaseTimeout = 30 * time.Second
	every          = 250 * time.Millisecond
	// ourName tells our sessions from those of the service whose role we use.
	ourName = "chaos"
)

// watch reads what the programs tell of themselves, and what PostgreSQL knows of them.
type watch struct {
	urls  map[string]string
	pools map[string]*pgxpool.Pool // by service
}

func newWatch(ctx context.Context, product *stack.Stack) (*watch, error) {
	w := &watch{urls: product.MetricsURLs(), pools: map[string]*pgxpool.Pool{}}
	for _, service := range services.Names() {
		cfg, err := pgxpool.ParseConfig(product.DatabaseURL(service))
		if err == nil {
			cfg.ConnConfig.RuntimeParams["application_name"] = ourName
			w.pools[service], err = pgxpool.NewWithConfig(ctx, cfg)
		}
		if err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *watch) close() {
	for _, pool := range w.pools {
		pool.Close()
	}
}

// most reads again and again until ctx ends, and returns the highest goroutines and
// connections in use of each program.
func (w *watch) most(ctx context.Context) map[string]State {
	highest := map[string]State{}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return highest
		case <-ticker.C:
		}
		var mu sync.Mutex
		var together sync.WaitGroup
		for name, url := range w.urls {
			together.Go(func() {
				s, err := read(ctx, url)
				if err != nil {
					return // one look of many
				}
				mu.Lock()
				defer mu.Unlock()
				h := highest[name]
				highest[name] = State{Goroutines: max(h.Goroutines, s.Goroutines), InUse: max(h.InUse, s.InUse)}
			})
		}
		together.Wait()
	}
}

// settled waits until nobody works. With an earlier state it is done when there is no more
// than then; without one, and where that does not come, after a while. It returns the
// least of each that it saw: a look at the figures uses connections itself.
func (w *watch) settled(ctx context.Context, earlier map[string]State) (map[string]State, error) {
	wait := releaseTimeout
	if earlier == nil {
		wait = recovery
	}
	least := map[string]State{}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for until := time.Now().Add(wait); ; {
		done := earlier != nil
		for name, url := range w.urls {
			now, err := read(ctx, url)
			if err != nil {
				return nil, fmt.Errorf("figures of %s: %w", name, err)
			}
			if pool := w.pools[name]; pool != nil {
				if err := pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
					WHERE usename = current_user AND application_name <> $1`, ourName).Scan(&now.Sessions, &now.Busy); err != nil {
					return nil, err
				}
			}
			if l, seen := least[name]; seen {
				now = State{min(now.Goroutines, l.Goroutines), min(now.InUse, l.InUse), now.Max, min(now.Sessions, l.Sessions), min(now.Busy, l.Busy)}
			}
			least[name] = now
			done = done && len(kept(now, earlier[name])) == 0
		}
		if done || time.Now().After(until) {
			return least, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
}

func (w *watch) joined(ctx context.Context) ([]string, error) {
	rows, _ := w.pools["waitlist"].Query(ctx, "SELECT email FROM waitlist_users") // the error comes with the rows
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func read(ctx context.Context, url string) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	families, err := metrics.Scrape(ctx, url)
	if err != nil {
		return State{}, err
	}
	gauge := func(name string) int {
		n, _ := families.Sum(name, nil)
		return int(n)
	}
	return State{Goroutines: gauge("go_goroutines"), InUse: gauge("pg_pool_acquired_conns"), Max: gauge("pg_pool_max_conns")}, nil
}
