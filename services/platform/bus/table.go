package bus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// table is the outbox of one stream, over the connection that holds the lock.
type table struct {
	db     *pgx.Conn
	stream string
}

func (t *table) pending(ctx context.Context) ([]pendingRow, error) {
	result, err := t.db.Query(ctx, `SELECT seq, id, type, "time", source, subject, version, traceparent, payload
		FROM outbox WHERE stream_seq IS NULL AND NOT erased ORDER BY seq LIMIT $1`, batchSize)
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	defer result.Close()
	var rows []pendingRow
	for bytes := 0; bytes < batchBytes && result.Next(); {
		var p pendingRow
		err := result.Scan(&p.seq, &p.ID, &p.Type, &p.Time, &p.Source, &p.Subject, &p.Version, &p.Traceparent, &p.Payload)
		if err != nil {
			return nil, fmt.Errorf("read the outbox: %w", err)
		}
		rows, bytes = append(rows, p), bytes+len(p.Payload)
	}
	result.Close()
	if err := result.Err(); err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return rows, nil
}

func (t *table) mark(ctx context.Context, placed []place) (lost int64, err error) {
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
	// Sent together, which makes them one transaction.
	marking := &pgx.Batch{}
	marking.Queue("UPDATE outbox SET stream_seq = NULL WHERE stream_seq >= $1", first).Exec(func(tag pgconn.CommandTag) error {
		lost = tag.RowsAffected()
		return nil
	})
	marking.Queue(`UPDATE outbox SET stream_seq = a.stream_seq, published_at = coalesce(published_at, now())
		FROM unnest($1::bigint[], $2::bigint[]) AS a (seq, stream_seq) WHERE outbox.seq = a.seq`, seqs, streamSeqs)
	err = t.db.SendBatch(ctx, marking).Close()
	if err != nil {
		return 0, fmt.Errorf("mark published events: %w", err)
	}
	return lost, nil
}

func (t *table) streamCreated(ctx context.Context) (created time.Time, err error) {
	err = t.db.QueryRow(ctx, "SELECT created FROM outbox_stream WHERE name = $1", t.stream).Scan(&created)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return created, err
}

func (t *table) remember(ctx context.Context, created time.Time) error {
	_, err := t.db.Exec(ctx, `INSERT INTO outbox_stream (name, created) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET created = excluded.created WHERE outbox_stream.created <> excluded.created`,
		t.stream, created)
	return err
}

func (t *table) resetAll(ctx context.Context) (int64, error) {
	return t.reset(ctx, "SELECT seq FROM outbox WHERE stream_seq IS NOT NULL AND NOT erased")
}

func (t *table) resetLost(ctx context.Context, first, last int64) (int64, error) {
	return t.reset(ctx, `SELECT seq FROM outbox WHERE stream_seq > $2 AND NOT erased
		UNION ALL SELECT seq FROM outbox WHERE stream_seq < $1 AND published_at > now() - $3::interval AND NOT erased`,
		first, last, retention-retentionSlack)
}

func (t *table) newest(ctx context.Context) (id uuid.UUID, streamSeq int64, err error) {
	err = t.db.QueryRow(ctx, "SELECT id, stream_seq FROM outbox WHERE stream_seq IS NOT NULL AND NOT erased ORDER BY stream_seq DESC LIMIT 1").Scan(&id, &streamSeq)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return id, streamSeq, err
}

func (t *table) erased(ctx context.Context) ([]erasedRow, error) {
	result, err := t.db.Query(ctx, "SELECT seq, coalesce(stream_seq, 0), id FROM outbox WHERE erased ORDER BY seq LIMIT $1", eraseBatch)
	if err != nil {
		return nil, fmt.Errorf("read erased events: %w", err)
	}
	return pgx.CollectRows(result, func(row pgx.CollectableRow) (e erasedRow, err error) {
		err = row.Scan(&e.seq, &e.streamSeq, &e.id)
		return e, err
	})
}

func (t *table) forget(ctx context.Context, seqs []int64) error {
	_, err := t.db.Exec(ctx, "DELETE FROM outbox WHERE seq = ANY ($1) AND erased", seqs)
	return err
}

// reset works in steps that each stay far below the statement timeout. lost selects
// the numbers of rows.
func (t *table) reset(ctx context.Context, lost string, args ...any) (total int64, err error) {
	sql := fmt.Sprintf("UPDATE outbox SET stream_seq = NULL WHERE seq = ANY (ARRAY(%s LIMIT %d)) AND NOT erased", lost, resetSize)
	for {
		tag, err := t.db.Exec(ctx, sql, args...)
		if err != nil {
			return total, err
		}
		total += tag.RowsAffected()
		if tag.RowsAffected() < resetSize {
			return total, nil
		}
	}
}
