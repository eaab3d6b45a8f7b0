package erasure

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/encoding/protowire"

	"fledge.dev/services/platform/fault"
)

const (
	// eraseStep is how many rows of the outbox one statement of Erase reads.
	eraseStep = 1000
	// erasePatience bounds how long one call of Erase reads, because its caller's transaction
	// is open meanwhile.
	erasePatience = 10 * time.Second
	// eraseMemory is how long after a call its place is kept. It bounds how many are kept of erasures that another
	// replica has ended; to begin anew is always right.
	eraseMemory = 10 * time.Minute
)

var (
	// errUnpublished: an event that is erased before anybody could read it would be lost.
	errUnpublished = fault.New(fault.Unavailable, "events_waiting", "Events of this account are not published yet.")
	errUnread      = fault.New(fault.Unavailable, "events_unread", "Not all events have been read for this account yet.")
)

// mentions is a condition on a payload: it has one of the texts in $1 that say where a word
// stands. PostgreSQL knows no other way to look for text in bytes without regard to case. All
// that encode returns is ASCII, so the collation C, which is much faster, finds the same.
const mentions = `lower(encode(payload, 'escape') COLLATE "C") LIKE ANY (ARRAY(
	SELECT '%' || regexp_replace(lower(encode(word, 'escape')), '([%_\\])', '\\\1', 'g') || '%' FROM unnest($1::bytea[]) AS place (word)))`

// eraseEvents goes on behind the row $3, and reads $4 rows at most. It marks whatever is
// mentioned, also what is not published: then the step is rolled back.
const eraseEvents = `
	WITH step AS MATERIALIZED (
		SELECT seq, NOT erased AND type NOT LIKE '%.user.erased' AND (lower(subject) = ANY ($2) OR ` + mentions + `) AS mentioned
		FROM (SELECT * FROM outbox WHERE seq > $3 ORDER BY seq LIMIT $4) AS next
	),
	marked AS (
		UPDATE outbox SET erased = true WHERE seq = ANY (ARRAY(SELECT seq FROM step WHERE mentioned)) RETURNING stream_seq
	)
	SELECT (SELECT max(seq) FROM step), EXISTS (SELECT FROM marked WHERE stream_seq IS NULL)`

const eraseLetters = `DELETE FROM dead_letter WHERE ` + mentions + ` OR EXISTS (
	SELECT FROM unnest($2::text[]) AS header (word) WHERE position(to_json(word)::text IN lower(headers::text)) > 0)`

// OutboxEraser erases events of accounts from the outbox behind a pool.
type OutboxEraser struct {
	pool     *pgxpool.Pool
	patience time.Duration

	mu sync.Mutex
	// reached is how far erasures came that are not done here, by their requests and words.
	reached map[[sha256.Size]byte]erasePlace
}

// erasePlace is the last row that a call has read, and when.
type erasePlace struct {
	seq int64
	at  time.Time
}

// NewOutboxEraser returns one that has read nothing.
func NewOutboxEraser(pool *pgxpool.Pool) *OutboxEraser {
	return &OutboxEraser{pool: pool, patience: erasePatience, reached: map[[sha256.Size]byte]erasePlace{}}
}

// Erase has the relay delete the service's events of the last 7 days that mention one of the
// words, such as an account's id and addresses, from the stream and the outbox. An event
// mentions a word whose subject it is, or that is a whole string of its payload, or of JSON
// in there; case does not matter. Dead letters that mention a word are deleted in tx.
//
// Erase reads the whole outbox, in steps that are transactions of their own. A call that has
// read for 10 seconds, or that meets an event which is not published yet, returns a
// fault.Unavailable: the next call for the same request with the same words, within 10 minutes, goes on
// behind the last step, however many rows there are. A request is of one erasure alone, such as the event that
// asks for it, and is not made again once Erase has returned nil for it and tx is committed, on whichever replica: an
// erasure that is begun anew is another request, and reads all. Consumers that have not read an erased event by then never
// will. Answers to erasures (user.erased) stay.
func (e *OutboxEraser) Erase(ctx context.Context, tx pgx.Tx, request uuid.UUID, words ...string) error {
	if len(words) == 0 {
		return nil
	}
	places, lowered := wordPlaces(words)
	if _, err := tx.Exec(ctx, eraseLetters, places, lowered); err != nil {
		return fmt.Errorf("erasure: erase dead letters: %w", err)
	}
	slices.Sort(lowered)
	key := sha256.Sum256([]byte(request.String() + "\x00" + strings.Join(lowered, "\x00")))
	last := e.behind(key)
	for end := time.Now().Add(e.patience); ; {
		next, err := e.step(ctx, places, lowered, last)
		if err == nil && next == nil {
			e.remember(key, 0)
			return nil
		}
		if err == nil {
			last = *next
			if time.Now().After(end) {
				err = errUnread
			}
		}
		if err != nil {
			e.remember(key, last)
			return err
		}
	}
}

func (e *OutboxEraser) behind(key [sha256.Size]byte) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	for k, p := range e.reached {
		if time.Since(p.at) > eraseMemory {
			delete(e.reached, k)
		}
	}
	return e.reached[key].seq
}

// remember notes the last row that was read, or 0 when all are.
func (e *OutboxEraser) remember(key [sha256.Size]byte, last int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reached[key] = (erasePlace{last, time.Now()}); last == 0 {
		delete(e.reached, key)
	}
}

// step marks what one step behind the row last mentions. next is the last row that it has read,
// nil behind the end.
func (e *OutboxEraser) step(ctx context.Context, places [][]byte, lowered []string, last int64) (next *int64, err error) {
	err = pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		var waiting bool
		if err := tx.QueryRow(ctx, eraseEvents, places, lowered, last, eraseStep).Scan(&next, &waiting); err != nil {
			return fmt.Errorf("erasure: erase events: %w", err)
		}
		if waiting {
			return errUnpublished
		}
		return nil
	})
	return next, err
}

// wordPlaces are the bytes of a payload that hold a word and nothing else: a protobuf string
// begins with its length, one of JSON stands between quotes.
func wordPlaces(words []string) (places [][]byte, lowered []string) {
	for _, word := range words {
		word = strings.ToLower(word)
		quoted := []byte(`"` + word + `"`)
		places = append(places, protowire.AppendString(nil, word), quoted)
		escaped, _ := json.Marshal(word) // a string can always be encoded
		if !bytes.Equal(escaped, quoted) {
			places = append(places, escaped)
		}
		lowered = append(lowered, word)
	}
	return places, lowered
}
