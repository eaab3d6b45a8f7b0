package bus_test

import (
	"slices"
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
	rights := bus.Rights{Service: "waitlist", Consumers: []bus.ConsumerSpec{{Name: "mail", Stream: stream, Type: acted}, {Name: "unanswered", Stream: stream, Type: acted}}}
	publish := slices.DeleteFunc(rights.Publish(), func(subject string) bool { return subject == "$JS.API.CONSUMER.MSG.NEXT."+stream+".unanswered" })
	r.nats.Reconfigure(func(o *server.Options) {
		o.Users = []*server.User{{Username: "waitlist", Password: "w", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: publish},
			Subscribe: &server.SubjectPermission{Allow: rights.Subscribe()},
		}}}
	})
	cfg := r.config(r.nats.URL())
	cfg.User, cfg.Password = "waitlist", config.Secret("w")
	waitlist := r.replicaWith(cfg)
	waitlist.run(waitlist.conn.Relay(r.pool))
	waitlist.consume("mail", count("mail"))
	waitlist.consume("new", count("new")) // of a version whose rights nobody has installed
	waitlist.consume("unanswered", count("unanswered"))
	gone := r.append(10)
	r.eventuallyOnce("mail", 10)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	r.erase(gone...)
	waittest.Eventually(t, "its own events are deleted", func() bool { return r.rows("outbox") == 0 })
	r.append(1)
	r.eventuallyOnce("mail", 11)
	waittest.Eventually(t, "one that has its rights runs", func() bool { return waitlist.metric("bus_consumer_running", "mail") == 1 })
	if runs := waitlist.metric("bus_consumer_running", "new", "unanswered"); runs != 0 {
		t.Errorf("%v that have not all of them run", runs)
	}
}
