package chaos

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/test/harness/metrics"
	"fledge.dev/services"
)

// held is how much a program holds.
type held struct {
	goroutines int
	// inUse are connections of its pool, which has size at most.
	inUse, size int
	// sessions are what PostgreSQL has for it, busy those in a statement or a transaction.
	sessions, busy int
}

// programs are what the gateway and the services hold: when nobody worked, and afterwards,
// and the most goroutines of each meanwhile.
type programs struct {
	before, after map[string]held
	most          map[string]int

	stop  context.CancelFunc
	watch sync.WaitGroup
}

const (
	// spare are the goroutines beyond one for each request in progress.
	spare = 100
	// outsidePool are a service's sessions outside its pool: the relay that publishes its
	// events, and the listener for jobs.
	outsidePool = 2
	// releasedWithin is how long connections may take to be given back.
	releasedWithin = 30 * time.Second
	lookEvery      = 250 * time.Millisecond
)

// inFlight are the caps of requests in progress where nothing else is set.
func inFlight(program string) int {
	if slices.Contains(services.Names(), program) {
		return 256
	}
	return gatewayInFlight
}

// begin notes what programs hold now and, until the end, at most.
func (p *programs) begin(ctx context.Context, r *Run) (err error) {
	if p.before, err = least(ctx, r, recovery, func(map[string]held) bool { return false }); err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	p.stop, p.most = stop, map[string]int{}
	p.watch.Go(func() {
		for wait(watching, lookEvery) == nil {
			for name, url := range r.product.MetricsURLs() {
				if now, err := read(watching, url); err == nil { // one look of many
					p.most[name] = max(p.most[name], now.goroutines)
				}
			}
		}
	})
	r.atEnd(func() error { stop(); return nil })
	return nil
}

// end waits until they hold no more than before, or for a while.
func (p *programs) end(ctx context.Context, r *Run) (err error) {
	p.stop()
	p.watch.Wait()
	p.after, err = least(ctx, r, releasedWithin, func(now map[string]held) bool { p.after = now; return len(p.notGivenBack()) == 0 })
	for _, name := range slices.Sorted(maps.Keys(p.before)) {
		r.log("%-9s before %+v, at most %d goroutines, after %+v", name, p.before[name], p.most[name], p.after[name])
	}
	return err
}

// least looks until it is enough or a time is over, and returns the least of each that it
// saw: a look uses connections itself.
func least(ctx context.Context, r *Run, within time.Duration, enough func(map[string]held) bool) (map[string]held, error) {
	seen := map[string]held{}
	for end := time.Now().Add(within); ; {
		for name, url := range r.product.MetricsURLs() {
			now, err := read(ctx, url)
			if err != nil {
				return nil, fmt.Errorf("figures of %s: %w", name, err)
			}
			if pool := r.databases.pools[name]; pool != nil {
				if err := pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
					WHERE usename = current_user AND application_name <> $1`, ourName).Scan(&now.sessions, &now.busy); err != nil {
					return nil, err
				}
			}
			if l, known := seen[name]; known {
				now = held{min(now.goroutines, l.goroutines), min(now.inUse, l.inUse), now.size, min(now.sessions, l.sessions), min(now.busy, l.busy)}
			}
			seen[name] = now
		}
		if enough(seen) || time.Now().After(end) {
			return seen, nil
		}
		if err := wait(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
}

func read(ctx context.Context, url string) (held, error) {
	ctx, cancel := context.WithTimeout(ctx, releasedWithin)
	defer cancel()
	families, err := metrics.Scrape(ctx, url)
	gauge := func(name string) int {
		n, _ := families.Sum(name, nil)
		return int(n)
	}
	return held{goroutines: gauge("go_goroutines"), inUse: gauge("pg_pool_acquired_conns"), size: gauge("pg_pool_max_conns")}, err
}

func (p *programs) piledUp() (problems []string) {
	for name, most := range p.most {
		if limit := inFlight(name) + spare; most > limit {
			problems = append(problems, fmt.Sprintf("%s: %d goroutines, more than %d", name, most, limit))
		}
	}
	return problems
}

// notGivenBack is what a program or PostgreSQL holds though nobody works.
func (p *programs) notGivenBack() (problems []string) {
	for name, now := range p.after {
		before := p.before[name]
		if n := now.inUse - before.inUse; n > 0 {
			problems = append(problems, fmt.Sprintf("%s: %d connections are not given back", name, n))
		}
		if limit := now.size + outsidePool; now.sessions > limit {
			problems = append(problems, fmt.Sprintf("%s: PostgreSQL has %d sessions, more than %d", name, now.sessions, limit))
		}
		if n := now.busy - before.busy; n > 0 {
			problems = append(problems, fmt.Sprintf("%s: %d sessions are still busy", name, n))
		}
	}
	return problems
}
