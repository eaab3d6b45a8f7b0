package bus_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/waittest"
)

// TestListedRightsSuffice to publish, consume and erase. That each is needed, and keeps others out, is tested with
// the users of all services in deploy/local/natsserver.
func TestListedRightsSuffice(t *testing.T) {
	r := newRig(t)
	rights := bus.Rights{Service: "waitlist", Consumers: []bus.ConsumerSpec{{Name: "mail", Stream: stream, Type: acted}}}
	r.nats.Reconfigure(func(o *server.Options) {
		o.Users = []*server.User{{Username: "waitlist", Password: "w", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: rights.Publish()},
			Subscribe: &server.SubjectPermission{Allow: rights.Subscribe()},
		}}}
	})
	cfg := r.config(r.nats.URL())
	cfg.User, cfg.Password = "waitlist", config.Secret("w")
	waitlist := r.replicaWith(cfg)
	waitlist.run(waitlist.conn.Relay(r.pool))
	waitlist.consume("mail", count("mail"))
	waitlist.consume("new", count("new")) // of a version whose rights nobody has installed
	gone := r.append(10)
	r.eventuallyOnce("mail", 10)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	r.erase(gone...)
	waittest.Eventually(t, "its own events are deleted", func() bool { return r.rows("outbox") == 0 })
	r.append(1)
	r.eventuallyOnce("mail", 11)
	if runs, not := waitlist.metric("bus_consumer_running", "mail"), waitlist.metric("bus_consumer_running", "new"); runs != 1 || not != 0 {
		t.Errorf("of one that has its rights: %v, of one that has not: %v", runs, not)
	}
}
