package bus

import (
	"flag"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
)

// Decode is what a consumer reads a message with.
var Decode = decode

// EventsOf names the events of a message.
func EventsOf(msg *nats.Msg) (ids []uuid.UUID) {
	for _, in := range open(msg) {
		ids = append(ids, in.ID)
	}
	return ids
}

// DecodeAll reads the events of a message, which may be a bundle.
func DecodeAll(msg *nats.Msg) (events []Event, err error) {
	for _, in := range open(msg) {
		ev, err := in.decode()
		if err != nil {
			return nil, err
		}
		events = append(events, ev)
	}
	return events, nil
}

// Few is how many events the tests at scale send unless Many says otherwise.
const Few = 300

// Many is how many events the tests at scale send.
var Many = flag.Int("events", Few, "how many events the tests at scale send")
