package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/periodic"
)

const (
	// inboxRetention is longer than any way back that a message has: 7 days in
	// the outbox after its first publication, then 7 in a refilled stream.
	inboxRetention = 30 * 24 * time.Hour
	// cleanupRows and cleanupBytes bound a statement, so that it ends long before the
	// statement timeout on a slow disk.
	cleanupRows  = 1000
	cleanupBytes = 16 << 20
)

// Cleanup is the task that deletes published events which the stream has dropped by now, and
// inbox rows for which no message can come any more. A row that somebody has locked waits for
// the next run. Each service with the tables of [Migrations] runs it.
func Cleanup(pool *pgxpool.Pool) periodic.Task {
	return periodic.Task{
		Name: "events_cleanup", Every: time.Minute, Timeout: 10 * time.Minute, Exclusive: true,
		Run: func(ctx context.Context) error {
			// One that fails does not keep the others from being cleaned.
			var failures []error
			if err := deleteOld(ctx, pool, oldEvents, int64(0), retention, cleanupRows, cleanupBytes); err != nil {
				failures = append(failures, fmt.Errorf("bus: clean the outbox: %w", err))
			}
			rows, _ := pool.Query(ctx, consumersOfInbox) // the error comes with the rows
			consumers, err := pgx.CollectRows(rows, pgx.RowTo[string])
			for _, consumer := range consumers {
				err = errors.Join(err, deleteOld(ctx, pool, oldReceipts, uuid.Nil, inboxRetention, cleanupRows, consumer))
			}
			if err != nil {
				failures = append(failures, fmt.Errorf("bus: clean the inbox: %w", err))
			}
			return errors.Join(failures...)
		},
	}
}

// oldEvents deletes from the beginning of the stream, and goes on behind what is locked. The innermost query bounds
// what is read when nothing is old.
const oldEvents = `WITH old AS MATERIALIZED (
		SELECT seq, stream_seq FROM (
			SELECT seq, stream_seq, published_at, sum(octet_length(payload)) OVER (ORDER BY stream_seq) AS bytes FROM (
				SELECT seq, stream_seq, published_at, payload FROM outbox WHERE stream_seq > $1 ORDER BY stream_seq LIMIT $3
			) AS first
		) AS measured WHERE published_at < now() - $2::interval AND bytes <= $4
	), gone AS (DELETE FROM outbox WHERE seq = ANY (ARRAY(
		SELECT seq FROM outbox WHERE seq = ANY (ARRAY(SELECT seq FROM old)) FOR UPDATE SKIP LOCKED)))
	SELECT max(stream_seq) FROM old`

const consumersOfInbox = `
	WITH RECURSIVE consumers AS (
		SELECT min(consumer) AS name FROM inbox
		UNION ALL
		SELECT (SELECT min(consumer) FROM inbox WHERE consumer > name) FROM consumers WHERE name IS NOT NULL
	)
	SELECT name FROM consumers WHERE name IS NOT NULL`

// oldReceipts deletes a range of the primary key: an event's id begins with its time. The
// time of the receipt decides, because an id may be of another kind.
const oldReceipts = `WITH gone AS (DELETE FROM inbox WHERE ctid = ANY (ARRAY(
	SELECT ctid FROM inbox
	WHERE consumer = $4 AND event_id > $1 AND received_at < now() - $2::interval
		AND event_id < (lpad(to_hex((extract(epoch FROM now() - $2::interval) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
	ORDER BY event_id LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING event_id)
	SELECT (SELECT event_id FROM gone ORDER BY event_id DESC LIMIT 1)`

// deleteOld repeats a statement until it finds nothing, each time behind the last row that it has found: what is
// deleted stays in the index until a vacuum, and is read by whoever begins in front of it.
func deleteOld[Place any](ctx context.Context, pool *pgxpool.Pool, statement string, behind Place, args ...any) error {
	for {
		var last *Place
		if err := pool.QueryRow(ctx, statement, append([]any{behind}, args...)...).Scan(&last); err != nil || last == nil {
			return err
		}
		behind = *last
	}
}
