package bus

import (
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// failures counts how often the handler failed for an event of the stream although nothing
// was away. The server's count of deliveries is of no use for it: a delivery during an
// outage is one of them, and so is one that a stopping replica gave back.
type failures struct {
	mu    sync.Mutex
	times map[uint64]int // by sequence in the stream
}

// add counts one failure of msg and returns how many there are.
func (f *failures) add(msg jetstream.Msg) int {
	meta, err := msg.Metadata()
	if err != nil {
		return 1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.times == nil {
		f.times = map[uint64]int{}
	}
	f.times[meta.Sequence.Stream]++
	return f.times[meta.Sequence.Stream]
}

// forget drops the counts up to floor, where all is settled.
func (f *failures) forget(floor uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for seq := range f.times {
		if seq <= floor {
			delete(f.times, seq)
		}
	}
}
