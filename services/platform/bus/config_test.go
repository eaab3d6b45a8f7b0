package bus_test

import (
	"log/slog"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

func TestConfigDefaultsAreValid(t *testing.T) {
	cfg, err := config.Load[bus.Config](nil)
	errtest.None(t, err)
	if cfg.Replicas != 1 {
		t.Errorf("%+v", cfg)
	}
	if got := bus.StreamOf("waitlist"); got != stream {
		t.Errorf("stream %q", got)
	}
}

func TestConfigNamesTheKeyThatIsWrong(t *testing.T) {
	for _, environ := range []string{
		"NATS_URL=somewhere", "NATS_STREAM_REPLICAS=2", "NATS_PASSWORD=x", "NATS_CERT_FILE=/x",
	} {
		if _, err := config.Load[bus.Config]([]string{environ}); err == nil {
			t.Errorf("%s is accepted", environ)
		}
	}
}

func TestConnectionKeepsTryingWithRefusedCredentials(t *testing.T) {
	nats := bustest.Start(t, func(o *server.Options) { o.Username, o.Password = "waitlist", "right" })
	connected := func(password string) *bus.Conn {
		rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
		conn := bus.Connect(bus.Config{URL: nats.URL(), User: "waitlist", Password: config.Secret(password), Replicas: 1}, rt)
		stop, err := conn.Unit().Start(t.Context())
		errtest.None(t, err)
		t.Cleanup(func() {
			if err := stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
		return conn
	}
	right, late := connected("right"), connected("rotated")
	waittest.Seen(t, "the right password connects", func() (bool, string) { return right.Check(t.Context()) == nil, "" })
	if late.Check(t.Context()) == nil {
		t.Fatal("the wrong password connects")
	}
	nats.Reconfigure(func(o *server.Options) { o.Password = "rotated" })
	waittest.Seen(t, "the rotated password connects", func() (bool, string) { return late.Check(t.Context()) == nil, "" })
}
