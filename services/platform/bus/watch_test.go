package bus_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/waittest"
)

func TestEveryReplicaWatches(t *testing.T) {
	r := newRig(t)
	r.publisher()
	waittest.Seen(t, "the stream is there", func() (bool, string) { return r.stored() == 0, "" })

	type watcher struct{ seen, resets atomic.Int32 }
	watchers := [2]watcher{}
	for i := range watchers {
		w := &watchers[i]
		replica := r.replica()
		replica.run(replica.conn.Watch(bus.WatchSpec{
			Name: "cache", Type: acted,
			Handle: func(_ context.Context, ev bus.Event) {
				if ev.Type == acted {
					w.seen.Add(1)
				}
			},
			Reset: func() { w.resets.Add(1) },
		}))
		waittest.Seen(t, "the watch stands", func() (bool, string) {
			return w.resets.Load() >= 1 && replica.conn.Check(t.Context()) == nil, fmt.Sprint(w.resets.Load())
		})
	}
	r.append(1)
	for i := range watchers {
		waittest.Seen(t, "each sees the event", func() (bool, string) {
			return watchers[i].seen.Load() == 1, fmt.Sprint(watchers[i].seen.Load())
		})
	}

	before := watchers[0].resets.Load()
	r.nats.Restart()
	waittest.Seen(t, "a new connection resets", func() (bool, string) {
		return watchers[0].resets.Load() > before, fmt.Sprint(watchers[0].resets.Load())
	})
	r.append(1)
	// An event whose acknowledgement the restart has cut off is published again.
	waittest.Seen(t, "events are redelivered", func() (bool, string) {
		return watchers[0].seen.Load() >= 2, fmt.Sprint(watchers[0].seen.Load())
	})
}
