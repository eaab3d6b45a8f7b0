package product

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/test/harness/metrics"
)

// The loads of the group that tells what events cost.
const (
	events    = "Sign-up, what its event costs"
	inOutbox  = "the event in the outbox, NATS stopped"
	asItShips = "as it ships: published and counted, too"
)

// The service writes its events as always, and a trigger throws them away.
const (
	noEvents = `CREATE FUNCTION no_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER no_event BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION no_event();`
	eventsAgain = `DROP FUNCTION no_event CASCADE`
)

// lagInterval is the pause between looks at the relay's lag, each of which counts what
// waits, too.
const lagInterval = 500 * time.Millisecond

// drainPatience is how long it may take until what has gathered while NATS was away is
// published and counted.
const drainPatience = time.Minute

// events are sign-ups without an event, with one that nobody publishes, and as they are.
func (b *bench) events() Group {
	signUp := func(name string) Load { return b.wrk.load(name, b.signUpRequest(clients)) }
	without, kept, shipped := signUp("POST /api/add-waitlist-user, no event"), signUp(inOutbox), signUp(asItShips)
	without.Before = func(ctx context.Context) error { return b.product.execute(ctx, noEvents) }
	without.After = func(ctx context.Context) error { return b.product.execute(ctx, eventsAgain) }
	kept.Before = func(ctx context.Context) error { return b.nats(ctx, false) }
	kept.After = func(ctx context.Context) error { return b.nats(ctx, true) }
	shipped.Run = b.watchingLag(shipped.Run)
	shipped.After = b.drained
	return Group{Name: events, Loads: []Load{without, kept, shipped}}
}

// noteEvents notes what the outbox costs, what publishing and counting cost, and how late they are.
func (b *bench) noteEvents(r Result) {
	const outboxMost, relayMost, lagMost = 10, 5, time.Second
	outbox, relay := 100*(1-r.Ratio(1).Median), 100*(1-r.Between(2, 1).Median)
	b.note("Events: the outbox costs %.0f %% of the rate (goal: ≤ %d %%: %s), publishing and counting another %.0f %% (goal: ≤ %d %%: %s)",
		outbox, outboxMost, met(outbox <= outboxMost), relay, relayMost, met(relay <= relayMost))
	b.note("Events: under full load the oldest unpublished event was %.2f s old, sampled twice a second (goal: < %s: %s)", b.lag.Seconds(), lagMost, met(b.lag < lagMost))
}

func (p *product) execute(ctx context.Context, sql string) error {
	return p.inDatabase(ctx, "waitlist", func(db *pgx.Conn) error {
		_, err := db.Exec(ctx, sql)
		return err
	})
}

func (b *bench) nats(ctx context.Context, run bool) error {
	program, err := b.product.Program("nats")
	if err != nil {
		return err
	}
	if !run {
		return program.Stop(ctx)
	}
	if err := program.Start(ctx); err != nil {
		return err
	}
	return b.drained(ctx)
}

// drained waits until all events are published and counted.
func (b *bench) drained(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainPatience)
	defer cancel()
	return b.product.inDatabase(ctx, "waitlist", func(db *pgx.Conn) error {
		for {
			var waiting int
			err := db.QueryRow(ctx, "SELECT count(*) FROM outbox WHERE type LIKE '%.users.joined' AND NOT EXISTS (SELECT FROM inbox WHERE event_id = id)").Scan(&waiting)
			if err != nil || waiting == 0 {
				return err
			}
			pause(ctx, 100*time.Millisecond)
			if ctx.Err() != nil {
				return fmt.Errorf("%d events still wait after %s", waiting, drainPatience)
			}
		}
	})
}

// watchingLag notes how old the oldest event became that was not in the stream.
func (b *bench) watchingLag(run func(context.Context, time.Duration) (Sample, error)) func(context.Context, time.Duration) (Sample, error) {
	return func(ctx context.Context, length time.Duration) (sample Sample, err error) {
		watching, stop := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() {
			for watching.Err() == nil {
				if age, err := b.waitlistFigure(watching, "bus_outbox_age_seconds"); err == nil {
					b.lag = max(b.lag, time.Duration(age*float64(time.Second)))
				}
				pause(watching, lagInterval)
			}
		})
		sample, err = run(ctx, length)
		stop()
		watch.Wait()
		return sample, err
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// waitlistFigure is a metric of the waitlist's without labels.
func (b *bench) waitlistFigure(ctx context.Context, name string) (float64, error) {
	families, err := metrics.Scrape(ctx, b.product.MetricsURLs()["waitlist"])
	if err != nil {
		return 0, err
	}
	value, ok := families.Value(name)
	if !ok {
		return 0, fmt.Errorf("there is no figure %s", name)
	}
	return value, nil
}
