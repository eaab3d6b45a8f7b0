package bus_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// rights are a user's of a service.
func rights(r bus.Rights) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: r.Publish()},
		Subscribe: &server.SubjectPermission{Allow: r.Subscribe()},
	}
}

func TestListedRightsSufficeAndAreNeeded(t *testing.T) {
	r := newRig(t)
	r.nats.Reconfigure(func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "waitlist", Password: "w", Permissions: rights(bus.Rights{
				Service: "waitlist", Consumers: []bus.ConsumerSpec{{Name: "mail", Stream: bus.StreamOf("waitlist"), Type: acted}},
			})},
			{Username: "billing", Password: "b", Permissions: rights(bus.Rights{Service: "billing"})},
		}
	})
	cfg := r.config(r.nats.URL())
	cfg.User, cfg.Password = "waitlist", config.Secret("w")
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
	waitlist := &replica{rig: r, rt: rt, conn: bus.Connect(cfg, rt)}
	waitlist.run(waitlist.conn.Relay(r.pool))
	waitlist.consume("mail", count("mail"))
	gone := r.append(10)
	r.eventuallyOnce("mail", 10)

	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	r.erase(gone...)
	waittest.Eventually(t, "its own events are deleted", func() bool { return r.rows("outbox") == 0 })

	if _, err := nats.Connect(r.nats.URL()); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("nobody connects: %v", err)
	}
	billing := r.nats.JetStream(nats.UserInfo("billing", "b"), nats.CustomInboxPrefix(bus.InboxOf("billing")))
	for name, forbidden := range map[string]func(context.Context) error{
		"publish for the waitlist": func(ctx context.Context) error {
			_, err := billing.Publish(ctx, acted, nil)
			return err
		},
		"delete the waitlist's events": func(ctx context.Context) error {
			found, err := billing.Stream(ctx, stream)
			if err == nil {
				err = found.DeleteMsg(ctx, 1)
			}
			return err
		},
		"delete the waitlist's stream": func(ctx context.Context) error { return billing.DeleteStream(ctx, stream) },
	} {
		// The server does not answer what it forbids.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if err := forbidden(ctx); err == nil {
			t.Errorf("billing may %s", name)
		}
		cancel()
	}
	r.append(1)
	r.eventuallyOnce("mail", 11)
}
