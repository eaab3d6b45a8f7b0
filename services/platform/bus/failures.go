package bus

import (
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// failures counts how often the handler failed for an event of the stream although nothing
// was away. The server's count of deliveries is of no use for it: a delivery during an
// outage is one of them, and so is one that a stopping replica gave back.
type failures struct {
	mu     sync.Mutex
	events map[uint64]*failed // by sequence in the stream
	// passed counts the events that were handled.
	passed int
}

// failed is what is known of an event that has failed.
type failed struct {
	// times counts the failures, late the tries that took too long while others passed.
	times, late int
	// passed is failures.passed when late was counted last.
	passed int
}

// add counts one failure of msg and returns how many there are.
func (f *failures) add(msg jetstream.Msg) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	event := f.of(msg)
	event.times++
	return event.times
}

// addLate counts that msg took too long, if another event has passed since it was counted last, and returns
// how often that was: by itself it does not tell an event that is too much from a database that is slow.
func (f *failures) addLate(msg jetstream.Msg) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	event := f.of(msg)
	if event.late == 0 || event.passed < f.passed {
		event.late, event.passed = event.late+1, f.passed
	}
	return event.late
}

// pass notes that an event was handled.
func (f *failures) pass() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.passed++
}

// of returns the event of msg, which is known from then on. Without its metadata it is another one each time.
func (f *failures) of(msg jetstream.Msg) *failed {
	meta, err := msg.Metadata()
	if err != nil {
		return &failed{}
	}
	if f.events == nil {
		f.events = map[uint64]*failed{}
	}
	event := f.events[meta.Sequence.Stream]
	if event == nil {
		event = &failed{}
		f.events[meta.Sequence.Stream] = event
	}
	return event
}

// forget drops the counts up to floor, where all is settled.
func (f *failures) forget(floor uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for seq := range f.events {
		if seq <= floor {
			delete(f.events, seq)
		}
	}
}
