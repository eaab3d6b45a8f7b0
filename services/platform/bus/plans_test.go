package bus_test

import (
	"testing"

	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

// TestARelayNeverReadsAWholeOutbox: not even while the planner takes the table for empty.
func TestARelayNeverReadsAWholeOutbox(t *testing.T) {
	r := newRig(t)
	plans := pgtest.RecordPlans(t, r.pool.Config().ConnString())
	replica := r.replica()
	burst := func() error {
		r.append(2000)
		stop := replica.run(replica.conn.Relay(plans.Pool))
		waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
		stop()
		return nil
	}
	plans.Of("a burst at a new stream", burst)
	plans.Of("a burst at a stream that is known", burst)
	plans.Compare("testdata/plans.txt")
}
