package bus

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	bundlev1 "fledge.dev/proto/gen/go/fledge/events/bundle/v1"
)

const (
	// bundleEvents is the most events of a bundle: beyond that there is little to save, and a
	// consumer works on one bundle at a time.
	bundleEvents = 256
	// envelopeSize is what an event may need beside its payload, its subject and its source.
	envelopeSize = 128
)

// publication is a message to publish, with its rows: one row by itself, or several of one
// type as a bundle.
type publication struct {
	rows []pendingRow
	size int
}

// pack puts rows into as few messages as may be, each type in messages of its own.
func pack(rows []pendingRow) (all []*publication) {
	filling := make(map[string]*publication)
	for _, row := range rows {
		size := len(row.Payload) + len(row.Subject) + len(row.Source) + envelopeSize
		s := filling[row.Type]
		if s == nil || len(s.rows) == bundleEvents || s.size+size > MaxPayload {
			s = &publication{}
			filling[row.Type] = s
			all = append(all, s)
		}
		s.rows, s.size = append(s.rows, row), s.size+size
	}
	return all
}

// message returns what goes over the wire. A bundle's ID follows from its events':
// the stream takes two bundles for the same one only if they have the same events.
func (s *publication) message() (*nats.Msg, error) {
	if len(s.rows) == 1 {
		return s.rows[0].message(), nil
	}
	bundle := &bundlev1.Bundle{Events: make([]*bundlev1.Event, len(s.rows))}
	var ids []byte
	for i, row := range s.rows {
		ids = append(ids, row.ID[:]...)
		bundle.Events[i] = &bundlev1.Event{
			Id: row.ID[:], Time: timestamppb.New(*row.Time), Source: row.Source, Subject: row.Subject,
			Version: row.Version, Traceparent: row.Traceparent, Payload: row.Payload,
		}
	}
	kind := s.rows[0].Type
	data, err := proto.Marshal(bundle)
	if err != nil {
		return nil, fmt.Errorf("bundle of %s: %w", kind, err)
	}
	return &nats.Msg{Subject: kind, Data: data, Header: nats.Header{
		headerID:     {idOf(ids).String()},
		headerType:   {kind},
		headerEvents: {strconv.Itoa(len(s.rows))},
	}}, nil
}

// idOf derives an ID from the content that it names: equal content has the same ID.
func idOf(content []byte) uuid.UUID {
	return uuid.NewHash(sha256.New(), uuid.NameSpaceOID, content, 8)
}

// place is where the stream has stored the publication.
func (s *publication) place(streamSeq int64, duplicate bool) place {
	p := place{seqs: make([]int64, len(s.rows)), streamSeq: streamSeq, duplicate: duplicate}
	for i, row := range s.rows {
		p.seqs[i] = row.seq
	}
	return p
}

// inbound is one event of a delivered message.
type inbound struct {
	Row
	// invalid says why the message is no event; original is that message then.
	invalid  error
	original *nats.Msg
}

// open returns the events of a message.
func open(msg *nats.Msg) []inbound {
	if msg.Header.Get(headerEvents) == "" {
		row, err := readRow(msg.Subject, msg.Header, msg.Data)
		return []inbound{{Row: row, invalid: err, original: msg}}
	}
	events, err := unbundle(msg)
	if err != nil {
		id, _ := uuid.Parse(msg.Header.Get(headerID)) // names its dead letter
		return []inbound{{Row: Row{ID: id, Type: msg.Subject}, invalid: err, original: msg}}
	}
	return events
}

func unbundle(msg *nats.Msg) ([]inbound, error) {
	if kind := msg.Header.Get(headerType); kind != msg.Subject {
		return nil, fmt.Errorf("bus: type %q on subject %q", kind, msg.Subject)
	}
	var bundle bundlev1.Bundle
	if err := proto.Unmarshal(msg.Data, &bundle); err != nil {
		return nil, fmt.Errorf("bus: bundle of %s: %w", msg.Subject, err)
	}
	n, told := len(bundle.GetEvents()), msg.Header.Get(headerEvents)
	if n == 0 || told != strconv.Itoa(n) {
		return nil, fmt.Errorf("bus: bundle of %s has %d events and says %q", msg.Subject, n, told)
	}
	events := make([]inbound, n)
	for i, ev := range bundle.GetEvents() {
		id, err := uuid.FromBytes(ev.GetId())
		if err == nil {
			err = ev.GetTime().CheckValid()
		}
		if err != nil {
			return nil, fmt.Errorf("bus: event %d in a bundle of %s: %w", i+1, msg.Subject, err)
		}
		at := ev.GetTime().AsTime()
		events[i].Row = Row{
			ID: id, Type: msg.Subject, Time: &at, Source: ev.GetSource(), Subject: ev.GetSubject(),
			Version: ev.GetVersion(), Traceparent: ev.GetTraceparent(), Payload: ev.GetPayload(),
		}
	}
	return events, nil
}

// decode returns the event, or the error that makes the message invalid.
func (in inbound) decode() (Event, error) {
	if in.invalid != nil {
		return Event{ID: in.ID}, in.invalid
	}
	return in.event()
}

// ownMessage returns a message with this event only: the delivered one, or for an event of a
// bundle the message that it would have had by itself.
func (in inbound) ownMessage() *nats.Msg {
	if in.original != nil {
		return in.original
	}
	return in.message()
}
