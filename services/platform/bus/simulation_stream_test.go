package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// simStream is a stream and its one durable consumer.
type simStream struct {
	*scheduler
	exists   bool
	created  time.Time
	made     int
	messages []*simMessage
	// copies is how often it has stored an event since it was made.
	copies   map[uuid.UUID]int
	erasures map[uuid.UUID]bool
	// broken is the first thing that must never happen.
	broken error
}

type simMessage struct {
	*nats.Msg
	seq      int64
	received time.Time
	handedAt time.Time // to a consumer, last
	acked    bool
	deleted  bool
}

func (s *simStream) ensure(ctx context.Context) (streamState, error) {
	if err := s.step(ctx, "ensure the stream"); err != nil {
		return streamState{}, err
	}
	if !s.exists {
		s.made++
		s.exists, s.created = true, time.Now().Add(time.Duration(s.made)*time.Microsecond)
		s.messages, s.copies = nil, map[uuid.UUID]int{}
	}
	// As in NATS, one that is still empty begins at 0, and one without its messages behind them.
	state := streamState{created: s.created, last: int64(len(s.messages))}
	if state.last > 0 {
		state.first = state.last + 1
	}
	for _, m := range slices.Backward(s.messages) {
		if !m.deleted {
			state.first = m.seq
		}
	}
	return state, nil
}

func (s *simStream) publish(ctx context.Context, rows []pendingRow) (placed []place, err error) {
	for _, row := range rows {
		if err := s.step(ctx, "publish "+row.ID.String()[:8]); err != nil {
			return placed, err
		}
		if !s.exists {
			return placed, errOutage
		}
		at := s.store(row)
		if s.chance(30) {
			s.note("world", "the acknowledgement is lost")
			return placed, errOutage
		}
		placed = append(placed, at)
	}
	return placed, nil
}

func (s *simStream) holds(ctx context.Context, streamSeq int64, id uuid.UUID) (bool, error) {
	if err := s.step(ctx, "read a message"); err != nil {
		return false, err
	}
	if streamSeq < 1 {
		return false, errors.New("there is no such place")
	}
	return streamSeq <= int64(len(s.messages)) && !s.messages[streamSeq-1].deleted && s.messages[streamSeq-1].Header.Get(headerID) == id.String(), nil
}

func (s *simStream) remove(ctx context.Context, streamSeq int64) error {
	if err := s.step(ctx, "delete a message"); err != nil {
		return err
	}
	if !s.exists || streamSeq > int64(len(s.messages)) || s.messages[streamSeq-1].deleted {
		return errors.New("there is no such message")
	}
	s.note("stream", fmt.Sprintf("%d is deleted", streamSeq))
	s.messages[streamSeq-1].deleted = true
	if s.chance(30) {
		s.note("world", "the answer is lost")
		return errOutage
	}
	return nil
}

func (s *simStream) store(row pendingRow) place {
	msg, name := row.Message(), row.ID.String()[:8]
	if s.erasures[row.ID] {
		s.broken = fmt.Errorf("%s is published after it was erased", row.ID)
	}
	for _, m := range s.messages {
		if m.Header.Get(headerID) == msg.Header.Get(headerID) && time.Since(m.received) < dedupeWindow {
			s.note("stream", fmt.Sprintf("%s is there as %d", name, m.seq))
			return place{seq: row.seq, streamSeq: m.seq, duplicate: true}
		}
	}
	m := &simMessage{Msg: msg, seq: int64(len(s.messages) + 1), received: time.Now()}
	s.messages = append(s.messages, m)
	s.copies[row.ID]++
	s.note("stream", fmt.Sprintf("%s is %d", name, m.seq))
	return place{seq: row.seq, streamSeq: m.seq}
}

// next hands out a message that nobody has, or that somebody has for too long.
func (s *simStream) next() *simMessage {
	for _, i := range s.rng.Perm(len(s.messages)) {
		if m := s.messages[i]; !m.acked && !m.deleted && (m.handedAt.IsZero() || time.Since(m.handedAt) > simAckWait || s.chance(20)) {
			m.handedAt = time.Now()
			return m
		}
	}
	return nil
}

// handed is a message in a consumer's hands.
type handed struct {
	jetstream.Msg // what is not needed
	*simMessage
	s *scheduler
}

func (d handed) Subject() string { return d.simMessage.Subject }

func (d handed) Headers() nats.Header { return d.Header }

func (d handed) Data() []byte { return d.simMessage.Data }

func (d handed) Nak() error { return d.NakWithDelay(0) }

func (d handed) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: 1, Sequence: jetstream.SequencePair{Stream: uint64(d.seq)}}, nil
}

func (d handed) NakWithDelay(time.Duration) error {
	if err := d.s.step(context.Background(), "give back"); err != nil {
		return err
	}
	d.handedAt = time.Time{}
	return nil
}

func (d handed) Ack() error {
	if err := d.s.step(context.Background(), "acknowledge"); err != nil {
		return err
	}
	d.acked = true
	return nil
}
