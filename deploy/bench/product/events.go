package product

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The service writes its events as always, and a trigger throws them away.
const (
	noEvents = `CREATE FUNCTION no_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER no_event BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION no_event();`
	eventsAgain = `DROP FUNCTION no_event CASCADE`
)

// drained waits until all events are published and counted.
const drained = `DO $$ BEGIN
	FOR try IN 1..600 LOOP
		IF NOT EXISTS (SELECT FROM outbox WHERE type LIKE '%.users.joined' AND NOT EXISTS (SELECT FROM inbox WHERE event_id = id)) THEN RETURN; END IF;
		PERFORM pg_sleep(0.1);
	END LOOP;
	RAISE 'events still wait after a minute';
END $$`

// events are sign-ups without an event, with one that nobody publishes, and as they are.
func (b *bench) events(context.Context) (Group, error) {
	without := b.signUpRequests(signUpRoute+", no event", clients)
	without.Before, without.After = b.sql("waitlist", noEvents), b.sql("waitlist", eventsAgain)

	nats, err := b.Program("nats")
	kept := b.signUpRequests("the event in the outbox, NATS stopped", clients)
	kept.Before = nats.Stop
	kept.After = func(ctx context.Context) error { return errors.Join(nats.Start(ctx), b.sql("waitlist", drained)(ctx)) }
	kept.Goal.Rate = 0.90

	shipped := b.signUpRequests("as it ships: published and counted, too", clients)
	shipped.Run = b.watchingLag(shipped.Run)
	shipped.After = b.sql("waitlist", drained)
	shipped.Goal.Rate = 0.855 // 0.95 of the one before
	return Group{Name: "Sign-up, what its event costs", Loads: []Load{without, kept, shipped}}, err
}

// watchingLag notes how old the oldest event became that was not in the stream.
func (b *bench) watchingLag(run func(context.Context, time.Duration) (Sample, error)) func(context.Context, time.Duration) (Sample, error) {
	return func(ctx context.Context, length time.Duration) (Sample, error) {
		watching, stop := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() {
			for range time.Tick(500 * time.Millisecond) {
				age := b.figure(watching, "waitlist", "bus_outbox_age_seconds")
				b.lag = max(b.lag, time.Duration(age*float64(time.Second)))
				if watching.Err() != nil {
					return
				}
			}
		})
		defer watch.Wait()
		defer stop()
		return run(ctx, length)
	}
}
