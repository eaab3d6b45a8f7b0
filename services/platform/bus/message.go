package bus

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Headers of a message. The NATS subject equals Fledge-Type.
const (
	headerID          = nats.MsgIdHdr
	headerType        = "Fledge-Type"
	headerTime        = "Fledge-Time" // RFC 3339 with nanoseconds
	headerSource      = "Fledge-Source"
	headerSubject     = "Fledge-Subject"
	headerVersion     = "Fledge-Version" // left out when 0
	headerTraceparent = "traceparent"
)

// Headers of JetStream's for messages that are stored together or not at all.
const (
	headerBatch         = "Nats-Batch-Id"
	headerBatchSequence = "Nats-Batch-Sequence" // from 1
	headerBatchCommit   = "Nats-Batch-Commit"   // of the last
)

// errUnknownType marks a well-formed message of a type that this program does
// not have: newer than we are, or not meant for us.
var errUnknownType = errors.New("bus: unknown event type")

// message is the row as it goes over the wire.
func (r Row) message() *nats.Msg {
	header := nats.Header{
		headerID:      {r.ID.String()},
		headerType:    {r.Type},
		headerTime:    {r.Time.UTC().Format(time.RFC3339Nano)},
		headerSource:  {r.Source},
		headerSubject: {r.Subject},
	}
	if r.Version > 0 {
		header.Set(headerVersion, strconv.FormatInt(r.Version, 10))
	}
	if r.Traceparent != "" {
		header.Set(headerTraceparent, r.Traceparent)
	}
	return &nats.Msg{Subject: r.Type, Header: header, Data: r.Payload}
}

// decode rebuilds the event of a message. errUnknownType comes with the ID set.
func decode(subject string, header nats.Header, data []byte) (Event, error) {
	ev := Event{Type: header.Get(headerType), Source: header.Get(headerSource), Subject: header.Get(headerSubject)}
	var err error
	if ev.ID, err = uuid.Parse(header.Get(headerID)); err != nil {
		return ev, fmt.Errorf("bus: event ID: %w", err)
	}
	if ev.Type != subject {
		return ev, fmt.Errorf("bus: type %q on subject %q", ev.Type, subject)
	}
	known, err := payloadType(ev.Type)
	if err != nil {
		return ev, err
	}
	if ev.Time, err = time.Parse(time.RFC3339Nano, header.Get(headerTime)); err != nil {
		return ev, fmt.Errorf("bus: event time: %w", err)
	}
	if v := header.Get(headerVersion); v != "" {
		if ev.Version, err = strconv.ParseInt(v, 10, 64); err != nil {
			return ev, fmt.Errorf("bus: event version: %w", err)
		}
	}
	message, err := protoregistry.GlobalTypes.FindMessageByName(known.message)
	if err != nil {
		return ev, fmt.Errorf("%w %s: %w", errUnknownType, ev.Type, err)
	}
	ev.Payload = message.New().Interface()
	if err := proto.Unmarshal(data, ev.Payload); err != nil {
		return ev, fmt.Errorf("bus: payload of %s: %w", ev.Type, err)
	}
	_, err = ev.validate()
	return ev, err
}
