package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// retention is how long streams keep messages and the outbox keeps rows
	// that were published.
	retention = 7 * 24 * time.Hour
	// retentionSlack is how far the clocks of Postgres and NATS may disagree
	// before an expired message reads as a lost one.
	retentionSlack = time.Hour
	// dedupeWindow is how long the stream itself drops an ID it has seen.
	dedupeWindow = 10 * time.Minute
	// maxMessage bounds payload and headers together, in bytes.
	maxMessage = 256 << 10
	// resetSize bounds one statement that marks rows for another publication.
	resetSize = 5000
	// batchSize is how many rows one step publishes at most.
	batchSize = 512
	// togetherFrom is the least number of rows that are cheaper in a batch than one by one.
	togetherFrom = 24
	// ackTimeout is how long the stream has to acknowledge a message.
	ackTimeout = 5 * time.Second
)

// streamConfig is the service's stream as it has to be. Nothing may be deleted
// from it, and when it is full it refuses instead of forgetting.
func streamConfig(name string, replicas int) jetstream.StreamConfig {
	serviceName := strings.ToLower(strings.TrimPrefix(name, "FLEDGE_"))
	return jetstream.StreamConfig{
		Name:       name,
		Subjects:   []string{"fledge." + serviceName + ".>"},
		Storage:    jetstream.FileStorage,
		Retention:  jetstream.LimitsPolicy,
		Discard:    jetstream.DiscardNew,
		MaxAge:     retention,
		MaxMsgSize: maxMessage,
		Duplicates: dedupeWindow,
		Replicas:   replicas,
		DenyDelete: true,
		DenyPurge:  true,

		AllowAtomicPublish: true,
	}
}

// jetStream is the service's stream in NATS. It is looked at before it is used.
type jetStream struct {
	conn   *Conn
	handle jetstream.Stream
}

func (s *jetStream) ensure(ctx context.Context) (streamState, error) {
	stream, err := persist(ctx, func(ctx context.Context) (jetstream.Stream, error) {
		js, cfg := s.conn.jetStream(), streamConfig(s.conn.stream, s.conn.cfg.Replicas)
		stream, err := js.CreateStream(ctx, cfg)
		// It is there as it has to be, or is changed: an update of what is the same already
		// makes the server take its store's settings anew under its consumers.
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return js.UpdateStream(ctx, cfg)
		}
		return stream, err
	})
	if err != nil {
		return streamState{}, fmt.Errorf("stream %s: %w", s.conn.stream, err)
	}
	s.handle = stream
	info := stream.CachedInfo()
	return streamState{
		// As Postgres keeps it.
		created: info.Created.UTC().Truncate(time.Microsecond),
		first:   int64(info.State.FirstSeq), last: int64(info.State.LastSeq),
	}, nil
}

func (s *jetStream) publish(ctx context.Context, rows []pendingRow) ([]place, error) {
	defer s.conn.tracePublication(ctx, rows)()
	if len(rows) >= togetherFrom {
		if placed, err := s.publishTogether(ctx, rows); len(placed) > 0 || err != nil {
			return placed, err
		}
	}
	return s.publishEach(ctx, rows)
}

// publishTogether publishes all rows or none, in a batch for which the server waits for
// its disk a few times, however many there are. It returns nothing when the server
// refuses, as it does when it has one of them already: publishEach tells which. After an
// error they may be there, which the next try finds out.
func (s *jetStream) publishTogether(ctx context.Context, rows []pendingRow) ([]place, error) {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	nc, id, last := s.conn.jetStream().Conn(), uuid.NewString(), len(rows)-1
	var answer *nats.Msg
	for i, row := range rows {
		msg := row.message()
		msg.Header[jetstream.ExpectedStreamHeader] = []string{s.conn.stream}
		msg.Header[headerBatch] = []string{id}
		msg.Header[headerBatchSequence] = []string{strconv.Itoa(i + 1)}
		var err error
		if i < last {
			err = nc.PublishMsg(msg)
		} else {
			msg.Header[headerBatchCommit] = []string{"1"}
			answer, err = nc.RequestMsgWithContext(ctx, msg)
		}
		if err != nil {
			return nil, fmt.Errorf("publish %d events: %w", len(rows), err)
		}
	}
	var ack struct {
		Sequence int64  `json:"seq"` // of the last
		Batch    string `json:"batch"`
		Count    int    `json:"count"`
	}
	// A refusal has no batch; nor has the answer of a server that knows nothing of them.
	if err := json.Unmarshal(answer.Data, &ack); err != nil || ack.Batch != id || ack.Count != len(rows) {
		return nil, nil
	}
	placed := make([]place, len(rows))
	for i, row := range rows {
		placed[i] = place{seq: row.seq, streamSeq: ack.Sequence - int64(last-i)}
	}
	return placed, nil
}

// publishEach sends each row by itself, all at once.
func (s *jetStream) publishEach(ctx context.Context, rows []pendingRow) (placed []place, err error) {
	js := s.conn.jetStream()
	futures := make([]jetstream.PubAckFuture, 0, len(rows))
	for _, row := range rows {
		future, sendErr := js.PublishMsgAsync(row.message(),
			jetstream.WithExpectStream(s.conn.stream), jetstream.WithRetryAttempts(0))
		if sendErr != nil {
			err = fmt.Errorf("publish %s: %w", row.Type, sendErr)
			break
		}
		futures = append(futures, future)
	}
	for i, future := range futures {
		select {
		case ack := <-future.Ok():
			placed = append(placed, place{rows[i].seq, int64(ack.Sequence), ack.Duplicate})
		case ackErr := <-future.Err():
			err = fmt.Errorf("publish %s: %w", rows[i].Type, ackErr)
		case <-ctx.Done():
			return placed, ctx.Err()
		}
	}
	return placed, err
}

func (s *jetStream) at(ctx context.Context, streamSeq int64) (id uuid.UUID, err error) {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	msg, err := s.handle.GetMsg(ctx, uint64(streamSeq))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return id, nil
	}
	if err != nil {
		return id, fmt.Errorf("read stream %s: %w", s.conn.stream, err)
	}
	id, err = uuid.Parse(msg.Header.Get(headerID))
	if err != nil {
		return uuid.Nil, nil // no message of ours
	}
	return id, nil
}
