package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
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
	// batchSize is how many rows one step publishes at most, and batchBytes about how many
	// bytes of payload.
	batchSize  = 512
	batchBytes = 8 << 20
	// ackTimeout is how long the server has to acknowledge a message, and to answer. One of a
	// cluster that has no leader just now does neither.
	ackTimeout = 5 * time.Second
)

// streamConfig is the service's stream as it has to be. When it is full it refuses instead
// of forgetting. Single messages may be deleted, which erasures do.
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
		DenyPurge:  true,
	}
}

// jetStream is the service's stream in NATS. It is looked at before it is used.
type jetStream struct {
	conn   *Conn
	handle jetstream.Stream
}

func (s *jetStream) ensure(ctx context.Context) (streamState, error) {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	cfg, js := streamConfig(s.conn.stream, s.conn.cfg.Replicas), s.conn.jetStream()
	stream, err := js.CreateStream(ctx, cfg)
	// An update of what is the same would make the server read its store's settings again under
	// its consumers.
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		stream, err = js.UpdateStream(ctx, cfg)
	}
	if err != nil {
		return streamState{}, fmt.Errorf("stream %s: %w", s.conn.stream, err)
	}
	info := stream.CachedInfo()
	s.handle = stream
	return streamState{
		// As Postgres keeps it.
		created: info.Created.UTC().Truncate(time.Microsecond),
		first:   int64(info.State.FirstSeq), last: int64(info.State.LastSeq),
	}, nil
}

// publish sends all messages at once and returns the places of those that the stream has
// acknowledged, beside the failures of the others.
func (s *jetStream) publish(ctx context.Context, rows []pendingRow) (placed []place, err error) {
	defer s.conn.tracePublication(ctx, rows)()
	js := s.conn.jetStream()
	futures := make([]jetstream.PubAckFuture, 0, len(rows))
	for _, row := range rows {
		future, sendErr := js.PublishMsgAsync(row.message(), jetstream.WithExpectStream(s.conn.stream), jetstream.WithRetryAttempts(0))
		if sendErr != nil {
			err = fmt.Errorf("publish %s: %w", row.Type, sendErr)
			break
		}
		futures = append(futures, future)
	}
	for i, future := range futures {
		select {
		case ack := <-future.Ok():
			placed = append(placed, place{seq: rows[i].seq, streamSeq: int64(ack.Sequence), duplicate: ack.Duplicate})
		case ackErr := <-future.Err():
			err = fmt.Errorf("publish %s: %w", rows[i].Type, ackErr)
		case <-ctx.Done():
			return placed, ctx.Err()
		}
	}
	return placed, err
}

func (s *jetStream) holds(ctx context.Context, streamSeq int64, id uuid.UUID) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	msg, err := s.handle.GetMsg(ctx, uint64(streamSeq))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read stream %s: %w", s.conn.stream, err)
	}
	return msg.Header.Get(headerID) == id.String(), nil
}

func (s *jetStream) remove(ctx context.Context, streamSeq int64) error {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	// Its bytes are overwritten on the disk.
	if err := s.handle.SecureDeleteMsg(ctx, uint64(streamSeq)); err != nil {
		return fmt.Errorf("delete from stream %s: %w", s.conn.stream, err)
	}
	return nil
}
