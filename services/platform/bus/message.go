package bus

import (
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

// Message is the row, which has its time, as it goes over the wire.
func (r Row) Message() *nats.Msg {
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

// decode rebuilds the event of a message. One that comes with an error has the ID if that could be read.
func decode(subject string, header nats.Header, data []byte) (Event, error) {
	row, err := readRow(subject, header, data)
	if err != nil {
		return Event{ID: row.ID}, err
	}
	return row.event()
}

// readRow is the opposite of Row.Message. A row that comes with an error has what could be read.
func readRow(subject string, header nats.Header, data []byte) (Row, error) {
	row := Row{
		Type: header.Get(headerType), Source: header.Get(headerSource), Subject: header.Get(headerSubject),
		Traceparent: header.Get(headerTraceparent), Payload: data,
	}
	id, err := uuid.Parse(header.Get(headerID))
	if err != nil {
		return row, fmt.Errorf("bus: event ID: %w", err)
	}
	row.ID = id
	if row.Type != subject {
		return row, fmt.Errorf("bus: type %q on subject %q", row.Type, subject)
	}
	at, err := time.Parse(time.RFC3339Nano, header.Get(headerTime))
	if err != nil {
		return row, fmt.Errorf("bus: event time: %w", err)
	}
	row.Time = &at
	if v := header.Get(headerVersion); v != "" {
		if row.Version, err = strconv.ParseInt(v, 10, 64); err != nil {
			return row, fmt.Errorf("bus: event version: %w", err)
		}
	}
	return row, nil
}

// event is the opposite of Encode.
func (r Row) event() (Event, error) {
	ev := Event{ID: r.ID, Type: r.Type, Time: *r.Time, Source: r.Source, Subject: r.Subject, Version: r.Version}
	t, err := parseType(r.Type)
	if err != nil {
		return ev, err
	}
	message, err := protoregistry.GlobalTypes.FindMessageByName(t.message())
	if err != nil {
		return ev, fmt.Errorf("bus: type %s: %w", r.Type, err)
	}
	ev.Payload = message.New().Interface()
	if err := proto.Unmarshal(r.Payload, ev.Payload); err != nil {
		return ev, fmt.Errorf("bus: payload of %s: %w", r.Type, err)
	}
	_, err = ev.validate()
	return ev, err
}
