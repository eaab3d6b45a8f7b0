package bus_test

import (
	"slices"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestListedRightsSuffice to publish, consume and erase, whichever form a server gives acknowledgements. That each is
// needed, and keeps others out, is tested with the users of all services in deploy/local/natsserver.
func TestListedRightsSuffice(t *testing.T) {
	for name, flags := range map[string]map[string]bool{"": nil, "with the account": {server.FeatureFlagJsAckFormatV2: true}} {
		t.Run("acknowledgements "+name, func(t *testing.T) { listedRightsSuffice(t, flags) })
	}
}

func listedRightsSuffice(t *testing.T, flags map[string]bool) {
	r := newRig(t)
	rights := bus.Rights{Service: "waitlist", Consumers: []bus.ConsumerSpec{{Name: "mail", Stream: stream, Type: acted}, {Name: "unanswered", Stream: stream, Type: acted}}}
	publish := slices.DeleteFunc(rights.Publish(), func(subject string) bool { return subject == "$JS.API.CONSUMER.MSG.NEXT."+stream+".unanswered" })
	r.nats.Reconfigure(func(o *server.Options) {
		o.FeatureFlags = flags
		o.Users = []*server.User{{Username: "waitlist", Password: "w", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: publish},
			Subscribe: &server.SubjectPermission{Allow: rights.Subscribe()},
		}}, {Username: "operator", Password: "o"}}
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
	waittest.Eventually(t, "what was handled is acknowledged", func() bool { return r.unacknowledged("mail") == 0 })
	waittest.Eventually(t, "one that has its rights runs", func() bool { return waitlist.metric("bus_consumer_running", "mail") == 1 })
	if runs := waitlist.metric("bus_consumer_running", "new", "unanswered"); runs != 0 {
		t.Errorf("%v that have not all of them run", runs)
	}
}

// unacknowledged is how many messages a consumer was given and has not acknowledged, as a user without limits sees it.
func (r *rig) unacknowledged(consumer string) int {
	r.t.Helper()
	nc, err := nats.Connect(r.nats.URL(), nats.UserInfo("operator", "o"))
	errtest.None(r.t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	errtest.None(r.t, err)
	durable, err := js.Consumer(r.t.Context(), stream, consumer)
	errtest.None(r.t, err)
	return durable.CachedInfo().NumAckPending
}
