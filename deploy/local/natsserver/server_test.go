package natsserver_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/deploy/local/natsserver"
	"fledge.dev/deploy/local/ports"
)

type rig struct {
	t       *testing.T
	options natsserver.Options
	config  string
	server  *natsserver.Server
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	port, err := ports.New().Port()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, config: filepath.Join(dir, "nats.conf"), options: natsserver.Options{
		Port: port, StoreDir: filepath.Join(dir, `store with "quotes"`), LogFile: filepath.Join(dir, "log"),
		Users: []natsserver.User{
			{Service: "waitlist", Password: "waitlist-password", Consumes: []string{"waitlist"}},
			{Service: "identity", Password: "identity-password"},
		},
	}}
	content, err := r.options.Config()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.config, content, 0o600); err != nil {
		t.Fatal(err)
	}
	r.start()
	t.Cleanup(r.stop)
	return r
}

func (r *rig) start() {
	r.t.Helper()
	server, err := natsserver.Start(r.config)
	if err != nil {
		r.t.Fatal(err)
	}
	r.server = server
}

func (r *rig) stop() {
	if err := r.server.Stop(r.t.Context()); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) connect(user, password string) (*nats.Conn, jetstream.JetStream) {
	r.t.Helper()
	nc, err := nats.Connect("nats://127.0.0.1:"+strconv.Itoa(r.options.Port), nats.UserInfo(user, password))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(2*time.Second))
	if err != nil {
		r.t.Fatal(err)
	}
	return nc, js
}

func stream(service string) jetstream.StreamConfig {
	names := map[string]string{"waitlist": "FLEDGE_WAITLIST", "identity": "FLEDGE_IDENTITY"}
	return jetstream.StreamConfig{Name: names[service], Subjects: []string{"fledge." + service + ".>"}, Storage: jetstream.FileStorage}
}

func TestAServiceOwnsItsStreamAndReadsWhatItConsumes(t *testing.T) {
	r := newRig(t)
	_, js := r.connect("waitlist", "waitlist-password")
	if _, err := js.CreateOrUpdateStream(t.Context(), stream("waitlist")); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "fledge.waitlist.v1.user.joined", []byte("x")); err != nil {
		t.Fatal(err)
	}
	consumer, err := js.CreateOrUpdateConsumer(t.Context(), "FLEDGE_WAITLIST", jetstream.ConsumerConfig{
		Durable: "waitlist-mail", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"fledge.waitlist.v1.user.joined"},
	})
	if err != nil {
		t.Fatal(err)
	}
	msg, err := consumer.Next(jetstream.FetchMaxWait(5 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if err := msg.DoubleAck(t.Context()); err != nil {
		t.Errorf("acknowledge: %v", err)
	}
}

func TestAServiceHasNoRightsOnAnothers(t *testing.T) {
	r := newRig(t)
	_, owner := r.connect("waitlist", "waitlist-password")
	if _, err := owner.CreateOrUpdateStream(t.Context(), stream("waitlist")); err != nil {
		t.Fatal(err)
	}
	_, js := r.connect("identity", "identity-password")
	for name, act := range map[string]func() error{
		"publish": func() error { _, err := js.Publish(t.Context(), "fledge.waitlist.v1.user.joined", nil); return err },
		"delete":  func() error { return js.DeleteStream(t.Context(), "FLEDGE_WAITLIST") },
		"reshape": func() error { _, err := js.UpdateStream(t.Context(), stream("waitlist")); return err },
		"consume": func() error {
			_, err := js.CreateConsumer(t.Context(), "FLEDGE_WAITLIST", jetstream.ConsumerConfig{})
			return err
		},
		"read": func() error { _, err := js.Stream(t.Context(), "FLEDGE_WAITLIST"); return err },
		"encroach": func() error {
			s := stream("identity")
			s.Subjects = []string{"fledge.waitlist.>"}
			_, err := js.CreateStream(t.Context(), s)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := act(); err == nil {
				t.Error("was allowed")
			}
		})
	}
}

func TestAServiceCannotThrowItsOwnEventsAway(t *testing.T) {
	r := newRig(t)
	nc, js := r.connect("waitlist", "waitlist-password")
	if _, err := js.CreateOrUpdateStream(t.Context(), stream("waitlist")); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "fledge.waitlist.v1.user.joined", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"DELETE", "PURGE", "MSG.DELETE", "SNAPSHOT"} {
		if resp, err := nc.Request("$JS.API.STREAM."+verb+".FLEDGE_WAITLIST", []byte(`{"seq":1}`), 300*time.Millisecond); err == nil {
			t.Errorf("%s was answered: %s", verb, resp.Data)
		}
	}
	kept, err := js.UpdateStream(t.Context(), stream("waitlist"))
	if err != nil || kept.CachedInfo().State.Msgs != 1 {
		t.Errorf("after that: %+v, %v", kept, err)
	}
}

func TestEventsReachEveryServiceThatListens(t *testing.T) {
	r := newRig(t)
	nc, _ := r.connect("waitlist", "waitlist-password")
	sub, err := nc.SubscribeSync("fledge.identity.v1.user.roles_changed")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	publisher, _ := r.connect("identity", "identity-password")
	if err := publisher.Publish("fledge.identity.v1.user.roles_changed", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := sub.NextMsg(5 * time.Second); err != nil {
		t.Error(err)
	}
}

func TestNobodyConnectsWithoutAPassword(t *testing.T) {
	r := newRig(t)
	for name, options := range map[string][]nats.Option{
		"anonymous": nil, "wrong password": {nats.UserInfo("waitlist", "wrong")}, "unknown": {nats.UserInfo("mallory", "x")},
	} {
		if _, err := nats.Connect("nats://127.0.0.1:"+strconv.Itoa(r.options.Port), options...); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStreamsSurviveARestart(t *testing.T) {
	r := newRig(t)
	_, js := r.connect("waitlist", "waitlist-password")
	if _, err := js.CreateOrUpdateStream(t.Context(), stream("waitlist")); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "fledge.waitlist.v1.user.joined", []byte("x")); err != nil {
		t.Fatal(err)
	}
	r.stop()
	r.start()
	_, js = r.connect("waitlist", "waitlist-password")
	kept, err := js.UpdateStream(t.Context(), stream("waitlist"))
	if err != nil {
		t.Fatal(err)
	}
	if info := kept.CachedInfo(); info.State.Msgs != 1 {
		t.Errorf("%+v", info)
	}
}
