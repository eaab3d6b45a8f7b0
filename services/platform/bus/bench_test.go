package bus_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/benchtest"
	"fledge.dev/services/platform/bus"
)

// BenchmarkEffect is the way of an event from its commit to its effect, while there are four others a hundredth of
// a second, and one in a hundred is poison.
func BenchmarkEffect(b *testing.B) {
	r, replica := publishing(b)
	done := make(chan struct{}, 1)
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		switch ev.Version {
		case 2:
			return bus.Poison(errors.New("no good"))
		case 3:
			done <- struct{}{}
		}
		return effect(ctx, tx, ev)
	})
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	others := make([]bus.Event, 5)
	poison := 0
	benchtest.P95(b, time.Second, func() error {
		<-pause.C
		for i := range others {
			others[i] = staffAction(uuid.NewString())
		}
		others[4].Version = 3
		if poison++; poison%20 == 0 {
			others[0].Version = 2
		}
		r.appendEvents(others...)
		<-done
		return nil
	})
}
