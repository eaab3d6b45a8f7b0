package store_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases/internal/release"
)

// TestAnErasedAccountGetsNoChannel, also when identity's last answer called it active, and whichever
// of the two comes first.
func TestAnErasedAccountGetsNoChannel(t *testing.T) {
	s, pool := open(t)
	ctx, ann := audittest.As(t.Context()), uuid.New()
	give := func(channel release.Channel) error {
		_, _, err := s.SetUserChannel(ctx, ann, channel, true, "helps us test")
		return err
	}
	errtest.None(t, give(release.Beta))
	given := make(chan error, 1)
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := s.Erase(ctx, tx, erasure.Account{ID: ann}); err != nil {
			return err
		}
		go func() { given <- give(release.Alpha) }()
		if err := bus.Append(ctx, tx, bus.Event{Type: erasure.Erased("releases"), Subject: ann.String(), Payload: &erasurev1.UserErased{UserId: ann.String()}}); err != nil {
			return err
		}
		waittest.Eventually(t, "the other one to wait", func() (waits bool) {
			err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waits)
			return err == nil && waits
		})
		return nil
	})
	errtest.None(t, err)
	for range 2 {
		if err := <-given; !errors.Is(err, fault.Conflict) {
			t.Errorf("a channel for an erased account: %v", err)
		}
		given <- give(release.Beta)
	}
	if err := give(release.Stable); err != nil {
		t.Errorf("stable: %v", err)
	}
	if c, err := s.UserChannel(ctx, ann); err != nil || c.Channel != release.Stable {
		t.Errorf("%+v, %v", c, err)
	}
}
