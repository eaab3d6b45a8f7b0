package natsserver_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
)

const staffAction = "fledge.waitlist.v1.staff.action"

// TestEachServiceCanDoItsWork makes each stream and each consumer, as its
// service, and takes an event through each, in both forms of acknowledgements.
func TestEachServiceCanDoItsWork(t *testing.T) {
	for name, settings := range map[string]string{"": "", "with the account": "feature_flags { js_ack_fc_v2: true }"} {
		t.Run("acknowledgements "+name, func(t *testing.T) { eachServiceCanDoItsWork(t, newRig(t, settings)) })
	}
}

func eachServiceCanDoItsWork(t *testing.T, r *rig) {
	owners := map[string]jetstream.JetStream{} // by stream
	heard := map[string]*nats.Subscription{}
	for _, service := range services.All() {
		nc, js := r.connect(service.Name)
		owners[bus.StreamOf(service.Name)] = js
		r.own(js, service.Name)
		for _, subject := range service.Watches {
			sub, err := nc.SubscribeSync(subject)
			errtest.None(t, err)
			errtest.None(t, nc.Flush())
			heard[service.Name] = sub
		}
	}
	r.publish(owners[bus.StreamOf("identity")], "fledge.identity.v1.user.roles_changed")
	for name, sub := range heard {
		if _, err := sub.NextMsg(10 * time.Second); err != nil {
			t.Errorf("%s hears nothing: %v", name, err)
		}
	}
	for _, service := range services.All() {
		for _, d := range service.Consumers {
			subject := d.Type
			r.publish(owners[d.Stream], subject)
			consumer, err := owners[bus.StreamOf(service.Name)].CreateOrUpdateConsumer(t.Context(), d.Stream, jetstream.ConsumerConfig{
				Durable: d.Name, AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: subject,
			})
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			msg, err := consumer.Next(jetstream.FetchMaxWait(10 * time.Second))
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			if err := msg.DoubleAck(t.Context()); err != nil || msg.Subject() != subject {
				t.Errorf("%s: %s, %v", d.Name, msg.Subject(), err)
			}
		}
	}
}

// TestAServiceHasNoRightsOnAnothers tries every service's user on everything that belongs
// to the others.
func TestAServiceHasNoRightsOnAnothers(t *testing.T) {
	r := newRig(t)
	for _, actor := range services.All() {
		nc, _ := r.connect(actor.Name)
		var publish, subscribe []string
		for _, other := range services.All() {
			stream := bus.StreamOf(other.Name)
			if other.Name != actor.Name {
				subscribe = append(subscribe, bus.InboxOf(other.Name)+".>", "fledge."+other.Name+".>")
				publish = append(publish, other.Rights().Publish()...) // the state and the messages of its stream among them
				// An acknowledgement can ask for the next message, and this one has the actor's names where counters belong.
				for _, d := range other.Consumers {
					for _, own := range actor.Consumers {
						publish = append(publish, "$JS.ACK."+d.Stream+"."+d.Name+"."+own.Stream+"."+own.Name+".1.2.3")
					}
				}
			}
			publish = append(publish, "$JS.API.STREAM.DELETE."+stream, "$JS.API.STREAM.PURGE."+stream,
				"$JS.API.DIRECT.GET."+stream, "$JS.API.STREAM.SNAPSHOT."+stream,
				"$JS.API.CONSUMER.CREATE."+stream+".spy", "$JS.API.CONSUMER.CREATE."+stream, "$JS.API.CONSUMER.DURABLE.CREATE."+stream+".spy",
				"$JS.API.CONSUMER.LIST."+stream)
			for _, d := range other.Consumers {
				publish = append(publish, "$JS.API.CONSUMER.DELETE."+d.Stream+"."+d.Name,
					"$JS.API.CONSUMER.CREATE."+d.Stream+"."+d.Name, "$JS.API.CONSUMER.CREATE."+d.Stream+"."+d.Name+".fledge.>")
			}
		}
		publish = append(publish, "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.INFO", "$JS.API.STREAM.CREATE.MINE", "$SYS.REQ.SERVER.PING", "anything")
		for _, subject := range publish {
			if !r.refused(nc, subject, func() error { return nc.Publish(subject, nil) }) {
				t.Errorf("%s may publish %s", actor.Name, subject)
			}
		}
		for _, subject := range append(subscribe, "_INBOX.>", "fledge.>", "$JS.>", ">") {
			if !r.refused(nc, subject, func() error { _, err := nc.SubscribeSync(subject); return err }) {
				t.Errorf("%s may listen to %s", actor.Name, subject)
			}
		}
	}
}

// TestAConsumerReadsItsSubjectAlone: the right to make a consumer is for its subject,
// whatever the request says inside.
func TestAConsumerReadsItsSubjectAlone(t *testing.T) {
	r := newRig(t)
	_, js := r.connect("waitlist")
	r.own(js, "waitlist")
	nc, _ := r.connect("identity")
	subject := "$JS.API.CONSUMER.CREATE.FLEDGE_WAITLIST.identity-audit-waitlist." + staffAction
	for _, filter := range []string{`"filter_subject":"fledge.>"`, `"filter_subjects":["fledge.>"]`, `"ack_wait":30000000000`} {
		reply, err := nc.Request(subject, []byte(`{"stream_name":"FLEDGE_WAITLIST","config":{"durable_name":"identity-audit-waitlist","ack_policy":"explicit",`+filter+`}}`), 10*time.Second)
		errtest.None(t, err)
		if !slices.Contains([]string{"400", "500"}, code(reply.Data)) {
			t.Errorf("%s: %s", filter, reply.Data)
		}
	}
}

func TestNobodyConnectsWithoutAPasswordAndACertificate(t *testing.T) {
	r := newRig(t)
	r.issue(newAuthority(t), "foreign")
	right := nats.UserInfo("waitlist", "waitlist")
	if nc, err := r.dial("client", right); err != nil {
		t.Fatal(err)
	} else {
		nc.Close()
	}
	for name, options := range map[string][]nats.Option{
		"anonymous": nil, "wrong password": {nats.UserInfo("waitlist", "wrong")}, "unknown": {nats.UserInfo("mallory", "x")},
	} {
		if _, err := r.dial("client", options...); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, cert := range map[string]string{"no certificate": "", "a foreign certificate": "foreign"} {
		if _, err := r.dial(cert, right); err == nil {
			t.Errorf("%s is let in", name)
		}
	}
}

func TestStreamsSurviveARestart(t *testing.T) {
	r := newRig(t)
	_, js := r.connect("waitlist")
	r.own(js, "waitlist")
	r.publish(js, staffAction)
	r.stop()
	r.start()
	_, js = r.connect("waitlist")
	if info := r.own(js, "waitlist").CachedInfo(); info.State.Msgs != 1 {
		t.Errorf("%+v", info)
	}
}
