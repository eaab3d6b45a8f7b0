package bus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// redriveInterval is how often a consumer looks for dead letters to retry.
const redriveInterval = 2 * time.Second

const insertLetter = `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason)
	VALUES ($1, $2, $3, $4, $5, $6)`

// deadLetter writes the event's message to dead_letter and the inbox, once.
func (c *consumer) deadLetter(ctx context.Context, id uuid.UUID, msg *nats.Msg, reason error) error {
	if id == uuid.Nil {
		// No usable ID: equal messages share one dead letter.
		id = uuid.NewHash(sha256.New(), uuid.NameSpaceOID, append([]byte(msg.Subject), msg.Data...), 8)
	}
	headers, err := json.Marshal(msg.Header)
	if err != nil {
		return fmt.Errorf("bus: headers: %w", err)
	}
	headers = bytes.ReplaceAll(headers, []byte(`\u0000`), []byte(`\ufffd`))
	err = pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		if err := receive(ctx, tx, c.Name, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertLetter, c.Name, id, msg.Subject, headers, msg.Data, text(reason))
		return err
	})
	if err != nil && !errors.Is(err, errDuplicate) {
		return fmt.Errorf("bus: write dead_letter: %w", err)
	}
	return nil
}

// text is the reason as PostgreSQL can keep it: it may quote what is no text.
func text(reason error) string {
	return strings.ToValidUTF8(strings.ReplaceAll(reason.Error(), "\x00", "\ufffd"), "\ufffd")
}

// redrive gives dead letters that an operator has released to the handler until ctx ends.
func (c *consumer) redrive(ctx context.Context) {
	trouble := obs.Repeated{Log: c.log}
	for service.Pause(ctx, redriveInterval) {
		for {
			found, err := c.redriveOne(ctx)
			if err != nil && ctx.Err() == nil {
				trouble.Warn(ctx, "redrive fails, retrying", "error", err)
			}
			if err != nil || !found {
				break
			}
		}
	}
}

// redriveOne gives one dead letter to the handler. Its inbox row exists since it
// became one, so the dead letter itself is what makes the effect happen once.
func (c *consumer) redriveOne(ctx context.Context) (found bool, err error) {
	var (
		id      uuid.UUID
		failure error
	)
	// As long as a delivery may take.
	trying, cancel := context.WithTimeout(ctx, c.AckWait*2/3)
	defer cancel()
	err = pgx.BeginFunc(trying, c.pool, func(tx pgx.Tx) error {
		var (
			subject string
			headers nats.Header
			payload []byte
		)
		err := tx.QueryRow(trying, `SELECT event_id, type, headers, payload FROM dead_letter
			WHERE consumer = $1 AND redrive_at <= now() ORDER BY redrive_at LIMIT 1 FOR UPDATE SKIP LOCKED`, c.Name).
			Scan(&id, &subject, &headers, &payload)
		if err != nil {
			return err
		}
		found = true
		ev, err := decode(subject, headers, payload)
		if err == nil {
			err = c.handle(obs.WithTraceparent(trying, headers.Get(headerTraceparent)), tx, ev)
		}
		if err != nil {
			failure = err
			return err
		}
		_, err = tx.Exec(trying, "DELETE FROM dead_letter WHERE consumer = $1 AND event_id = $2", c.Name, id)
		return err
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows) && !found:
		return false, nil
	case failure != nil:
		return true, c.returnLetter(ctx, id, failure, isOutage(failure) && !isPoison(failure) && !isLate(trying, failure))
	}
	return found, err
}

// returnLetter leaves an event that failed, or took too long, in dead_letter and keeps trying one that
// met an outage.
func (c *consumer) returnLetter(ctx context.Context, id uuid.UUID, reason error, outage bool) error {
	var again *time.Duration
	if outage {
		delay := c.maxBackoff
		again = &delay
	}
	_, err := c.pool.Exec(ctx, `UPDATE dead_letter SET reason = $3, redrive_at = now() + $4::interval
		WHERE consumer = $1 AND event_id = $2`, c.Name, id, text(reason), again)
	if err != nil {
		return fmt.Errorf("bus: return to dead_letter: %w", err)
	}
	return nil
}
