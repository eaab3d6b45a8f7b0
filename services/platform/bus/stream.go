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
	// invalidConfig is the server's error code for a stream that cannot be changed like this.
	invalidConfig = 10052
	// maxMessage bounds payload and headers together, in bytes.
	maxMessage = 256 << 10
	// resetSize bounds one statement that marks rows for another publication.
	resetSize = 5000
	// batchSize is how many rows one step publishes at most, and batchBytes about how many
	// bytes of payload.
	batchSize  = 512
	batchBytes = 8 << 20
	// ackTimeout is how long the stream has to acknowledge a message.
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
	// keeps: the stream denies deletion, which an update cannot take back.
	keeps bool
}

func (s *jetStream) ensure(ctx context.Context) (streamState, error) {
	cfg, keeps := streamConfig(s.conn.stream, s.conn.cfg.Replicas), s.keeps
	stream, err := persist(ctx, func(ctx context.Context) (jetstream.Stream, error) {
		stream, err := s.make(ctx, cfg, !keeps)
		if !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) && !isInvalidConfig(err) {
			return stream, err
		}
		cfg := cfg
		cfg.DenyDelete = true
		return s.make(ctx, cfg, true)
	})
	if err != nil {
		return streamState{}, fmt.Errorf("stream %s: %w", s.conn.stream, err)
	}
	info := stream.CachedInfo()
	s.handle, s.keeps = stream, info.Config.DenyDelete
	return streamState{
		// As Postgres keeps it.
		created: info.Created.UTC().Truncate(time.Microsecond),
		first:   int64(info.State.FirstSeq), last: int64(info.State.LastSeq),
		keeps: s.keeps,
	}, nil
}

// make creates a stream that is not there yet, and may change one that is another: an update
// of what is the same already makes the server read its store's settings again under its
// consumers.
func (s *jetStream) make(ctx context.Context, cfg jetstream.StreamConfig, change bool) (jetstream.Stream, error) {
	js := s.conn.jetStream()
	stream, err := js.CreateStream(ctx, cfg)
	if change && errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return js.UpdateStream(ctx, cfg)
	}
	return stream, err
}

func isInvalidConfig(err error) bool {
	refused, ok := errors.AsType[*jetstream.APIError](err)
	return ok && refused.ErrorCode == invalidConfig
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
	msg, err := persist(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return s.handle.GetMsg(ctx, uint64(streamSeq))
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read stream %s: %w", s.conn.stream, err)
	}
	return msg.Header.Get(headerID) == id.String(), nil
}

func (s *jetStream) remove(ctx context.Context, streamSeq int64) error {
	_, err := persist(ctx, func(ctx context.Context) (struct{}, error) {
		// Its bytes are overwritten on the disk.
		return struct{}{}, s.handle.SecureDeleteMsg(ctx, uint64(streamSeq))
	})
	if err != nil {
		return fmt.Errorf("delete from stream %s: %w", s.conn.stream, err)
	}
	return nil
}
