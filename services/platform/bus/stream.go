package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
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
	}
}

// reconcile makes sure that the stream exists and holds what the outbox says it
// holds. Rows that the stream has lost wait for publication again.
func (r *relay) reconcile(ctx context.Context, db *pgx.Conn) error {
	// A request that was under way when the server died is never answered.
	asking, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	stream, err := r.conn.jetStream().CreateOrUpdateStream(asking, streamConfig(r.conn.stream, r.conn.cfg.Replicas))
	if err != nil {
		return fmt.Errorf("stream %s: %w", r.conn.stream, err)
	}
	info := stream.CachedInfo()
	created := info.Created.UTC().Truncate(time.Microsecond)
	var known time.Time
	err = db.QueryRow(ctx, "SELECT created FROM outbox_stream WHERE name = $1", r.conn.stream).Scan(&known)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read stream state: %w", err)
	}
	lost := "stream_seq > $2 OR (stream_seq < $1 AND published_at > now() - $3::interval)"
	args := []any{int64(info.State.FirstSeq), int64(info.State.LastSeq), retention - retentionSlack}
	if !known.Equal(created) {
		lost, args = "stream_seq IS NOT NULL", nil
	}
	count, err := reset(ctx, db, lost, args)
	if err != nil {
		return fmt.Errorf("mark lost events: %w", err)
	}
	if count > 0 {
		r.conn.metrics.refilled.Add(float64(count))
		r.log.Warn("the stream has lost events, publishing them again", "events", count, "stream_created", created)
	}
	// Last, so that a crash in between finds the difference again.
	_, err = db.Exec(ctx, `INSERT INTO outbox_stream (name, created) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET created = excluded.created WHERE outbox_stream.created <> excluded.created`,
		r.conn.stream, created)
	if err != nil {
		return fmt.Errorf("write stream state: %w", err)
	}
	return nil
}

// reset works in steps that each stay far below the statement timeout.
func reset(ctx context.Context, db *pgx.Conn, lost string, args []any) (total int64, err error) {
	sql := fmt.Sprintf(`UPDATE outbox SET stream_seq = NULL
		WHERE seq IN (SELECT seq FROM outbox WHERE %s LIMIT %d)`, lost, resetSize)
	for {
		tag, err := db.Exec(ctx, sql, args...)
		if err != nil {
			return total, err
		}
		total += tag.RowsAffected()
		if tag.RowsAffected() < resetSize {
			return total, nil
		}
	}
}
