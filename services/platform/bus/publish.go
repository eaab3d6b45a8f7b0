package bus

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// batchSize is how many rows one step publishes at most.
	batchSize = 100
	// ackTimeout is how long the stream has to acknowledge a message.
	ackTimeout = 5 * time.Second
	// stepTimeout bounds a step in which everything is slow.
	stepTimeout = time.Minute
)

// pendingRow is a row that waits, with its place in the outbox.
type pendingRow struct {
	seq int64
	Row
}

// publishBatch publishes the oldest rows that wait and marks those that were
// acknowledged. It reports whether more may be waiting.
func (r *relay) publishBatch(ctx context.Context, db *pgx.Conn) (more bool, err error) {
	rows, err := pending(ctx, db)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	for _, round := range rounds(rows) {
		placed, publishErr := r.publish(ctx, round)
		if err := r.mark(ctx, db, placed); err != nil {
			return false, err
		}
		if publishErr != nil {
			r.conn.metrics.publishFailures.Add(float64(len(round) - len(placed)))
			return false, publishErr
		}
	}
	return len(rows) == batchSize, nil
}

func pending(ctx context.Context, db *pgx.Conn) ([]pendingRow, error) {
	result, err := db.Query(ctx, `SELECT seq, id, type, "time", source, subject, version, traceparent, payload
		FROM outbox WHERE stream_seq IS NULL ORDER BY seq LIMIT $1`, batchSize)
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	rows, err := pgx.CollectRows(result, func(row pgx.CollectableRow) (p pendingRow, err error) {
		err = row.Scan(&p.seq, &p.ID, &p.Type, &p.Time, &p.Source, &p.Subject, &p.Version, &p.Traceparent, &p.Payload)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return rows, nil
}

// rounds splits rows so that no round has two events of one subject: when a
// publication fails, the later events of its subject have not been sent yet.
func rounds(rows []pendingRow) [][]pendingRow {
	var split [][]pendingRow
	seen := make(map[string]int)
	for _, row := range rows {
		n := seen[row.Subject]
		seen[row.Subject]++
		if n == len(split) {
			split = append(split, nil)
		}
		split[n] = append(split[n], row)
	}
	return split
}

// place is where the stream keeps a row.
type place struct {
	seq, streamSeq int64
	// duplicate: an earlier try had put it there already.
	duplicate bool
}

// publish sends rows all at once and returns the acknowledged ones, beside the
// failures of the others.
func (r *relay) publish(ctx context.Context, rows []pendingRow) (placed []place, err error) {
	js := r.conn.jetStream()
	futures := make([]jetstream.PubAckFuture, 0, len(rows))
	for _, row := range rows {
		future, sendErr := js.PublishMsgAsync(row.message(),
			jetstream.WithExpectStream(r.conn.stream), jetstream.WithRetryAttempts(0))
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

// mark notes the places of published rows. Places only ever grow, so a row
// that stands at or behind a newly given place was lost: the stream has been
// set back since, and the row waits again.
func (r *relay) mark(ctx context.Context, db *pgx.Conn, placed []place) error {
	if len(placed) == 0 {
		return nil
	}
	var seqs, streamSeqs []int64
	first := int64(math.MaxInt64)
	for _, p := range placed {
		seqs, streamSeqs = append(seqs, p.seq), append(streamSeqs, p.streamSeq)
		if !p.duplicate {
			first = min(first, p.streamSeq)
		}
	}
	// An end of the service must not forget what the stream has acknowledged.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ackTimeout)
	defer cancel()
	var lost int64
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE outbox SET stream_seq = NULL WHERE stream_seq >= $1", first)
		if err != nil {
			return err
		}
		lost = tag.RowsAffected()
		_, err = tx.Exec(ctx, `UPDATE outbox SET stream_seq = a.stream_seq, published_at = coalesce(published_at, now())
			FROM unnest($1::bigint[], $2::bigint[]) AS a (seq, stream_seq) WHERE outbox.seq = a.seq`, seqs, streamSeqs)
		return err
	})
	if err != nil {
		return fmt.Errorf("mark published events: %w", err)
	}
	r.conn.metrics.published.Add(float64(len(placed)))
	r.conn.metrics.refilled.Add(float64(lost))
	return nil
}
