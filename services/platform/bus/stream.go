package bus

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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
	// askTimeout is how long it has to tell the stream's state, before it is asked again: there may be a leader by then.
	askTimeout = 2 * time.Second
)

// shaped is cfg with all that has to be so of the service's stream; what operators have set besides stays. When it is
// full it refuses instead of forgetting. Single messages may be deleted, which erasures do. They are read from the
// leader: another server may be behind, and what it does not have yet would be taken for lost.
func shaped(cfg jetstream.StreamConfig, name string, replicas int) jetstream.StreamConfig {
	serviceName := strings.ToLower(strings.TrimPrefix(name, "FLEDGE_"))
	cfg.Name, cfg.Subjects = name, []string{"fledge." + serviceName + ".>"}
	cfg.Storage, cfg.Replicas = jetstream.FileStorage, replicas
	cfg.Retention, cfg.Discard, cfg.MaxAge = jetstream.LimitsPolicy, jetstream.DiscardNew, retention
	cfg.MaxMsgSize, cfg.Duplicates, cfg.DenyPurge, cfg.AllowDirect = maxMessage, dedupeWindow, true, false
	return cfg
}

// jetStream is the service's stream in NATS. It is looked at before it is used.
type jetStream struct {
	conn   *Conn
	handle jetstream.Stream
}

// ensure looks before it creates: to a creation of what there is, each server of a cluster answers by itself,
// also one that is behind, and NATS 2.12 may take it for a new one (nats-server#8449).
func (s *jetStream) ensure(ctx context.Context) (streamState, error) {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	js, name, replicas := s.conn.jetStream(), s.conn.stream, s.conn.cfg.Replicas
	asking, answered := context.WithTimeout(ctx, askTimeout)
	stream, err := js.Stream(asking, name)
	answered()
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, shaped(jetstream.StreamConfig{}, name, replicas))
	}
	// An update of what is the same would make the server read its store's settings again under its consumers.
	if err == nil {
		if cfg := stream.CachedInfo().Config; !reflect.DeepEqual(cfg, shaped(cfg, name, replicas)) {
			stream, err = js.UpdateStream(ctx, shaped(cfg, name, replicas))
		}
	}
	// Without a leader any server answers, too.
	if err == nil && stream.CachedInfo().Cluster != nil && stream.CachedInfo().Cluster.Leader == "" {
		err = errors.New("it has no leader")
	}
	if err != nil {
		return streamState{}, fmt.Errorf("stream %s: %w", name, err)
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
		future, sendErr := js.PublishMsgAsync(row.Message(), jetstream.WithExpectStream(s.conn.stream), jetstream.WithRetryAttempts(0))
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
