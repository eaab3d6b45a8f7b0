package bus_test

import (
	"testing"

	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

// TestARelayNeverReadsAWholeOutbox that has been analyzed once, as a server does by itself
// within a minute. Cleaning does not either.
func TestARelayNeverReadsAWholeOutbox(t *testing.T) {
	r := newRig(t)
	_, stop := r.publisher()
	r.append(10_000)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	stop()
	r.old(100, "INSERT INTO outbox_stream SELECT n::text, now() FROM generate_series(1, 1000) AS n",
		"INSERT INTO inbox SELECT 'consumer ' || n % 3, gen_random_uuid(), now() FROM generate_series(1, 10000) AS n")

	plans := pgtest.RecordPlans(t, r.pool.Config().ConnString())
	if _, err := r.pool.Exec(t.Context(), "UPDATE outbox SET erased = true WHERE seq = 7"); err != nil {
		t.Fatal(err)
	}
	plans.Of("a relay that takes over, publishes and removes", func() error {
		r.append(10)
		replica := r.replica()
		stop := replica.run(replica.conn.Relay(plans.Pool))
		waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 && r.rows("outbox WHERE erased") == 0 })
		stop()
		return nil
	})
	plans.Of("cleaning", func() error { return clean(t, plans.Pool) })
	plans.Compare("testdata/plans.txt")
}
