package bus

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/obs"
)

const (
	// reconcileInterval bounds how long a lost stream goes unnoticed.
	reconcileInterval = 5 * time.Second
	// removeInterval is the pause between looks for erased events, removeRetry follows a
	// failure, which must not hold up the events that wait.
	removeInterval = 2 * time.Second
	removeRetry    = time.Minute
	// eraseBatch is how many erased events one step removes at most, and eraseBudget about how
	// long that may take, because new events wait meanwhile.
	eraseBatch  = 100
	eraseBudget = 250 * time.Millisecond
)

// forwarder keeps a stream equal to an outbox: it publishes what waits, and again
// what the stream has lost. What it knows is in the database, so it may end between any two
// of its steps. Its two ends are interfaces so that the simulation can end it there.
type forwarder struct {
	outbox  outboxTable
	stream  eventStream
	metrics *metrics
	log     *slog.Logger

	reconciled time.Time
	// removal is when erased events are removed next.
	removal time.Time
	trouble obs.Repeated
}

func newForwarder(outbox outboxTable, stream eventStream, m *metrics, log *slog.Logger) *forwarder {
	return &forwarder{outbox: outbox, stream: stream, metrics: m, log: log, trouble: obs.Repeated{Log: log}}
}

// outboxTable is a service's outbox, and what is remembered of its stream.
type outboxTable interface {
	// pending returns the oldest rows that wait, batchSize at most.
	pending(ctx context.Context) ([]pendingRow, error)
	// mark notes the places of published rows. Places only ever grow, so a row
	// that stood at or behind a newly given place was lost: the stream has been
	// set back since, and the row waits again. It returns how many do.
	mark(ctx context.Context, placed []place) (lost int64, err error)
	// streamCreated returns what remember was last told, or the zero time.
	streamCreated(ctx context.Context) (time.Time, error)
	remember(ctx context.Context, created time.Time) error
	// resetAll and resetLost make published rows wait again: all of them, or those
	// whose place is outside of what the stream has, unless they expired there.
	resetAll(ctx context.Context) (int64, error)
	resetLost(ctx context.Context, first, last int64) (int64, error)
	// newest returns the published row with the last place; none is all zero.
	newest(ctx context.Context) (id uuid.UUID, streamSeq int64, err error)
	// erased returns rows that are erased, eraseBatch at most. None of the methods above
	// returns one of those or makes it wait. forget deletes them.
	erased(ctx context.Context) ([]erasedRow, error)
	forget(ctx context.Context, seqs []int64) error
}

// eventStream is where a service's events are published.
type eventStream interface {
	// ensure makes the stream exist in its right shape.
	ensure(ctx context.Context) (streamState, error)
	// publish sends rows all at once and returns the places of the acknowledged ones,
	// beside the failure of another.
	publish(ctx context.Context, rows []pendingRow) ([]place, error)
	// holds reports whether the message at a place has the event.
	holds(ctx context.Context, streamSeq int64, id uuid.UUID) (bool, error)
	// remove deletes the message at a place.
	remove(ctx context.Context, streamSeq int64) error
}

// streamState is what a stream says of itself; first and last are places.
type streamState struct {
	created     time.Time
	first, last int64
}

// pendingRow is a row that waits, with its place in the outbox.
type pendingRow struct {
	seq int64
	Row
}

// erasedRow is a row that is erased. Its place is 0 if the stream has lost it.
type erasedRow struct {
	seq, streamSeq int64
	id             uuid.UUID
}

// place is where the stream keeps a row.
type place struct {
	seq, streamSeq int64
	// duplicate: an earlier try had put it there already.
	duplicate bool
}

// step publishes one batch to a stream that was looked at lately. It tells how many rows
// it found; more may be waiting when those are batchSize. A forwarder that has failed is done.
func (f *forwarder) step(ctx context.Context) (found int, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if time.Since(f.reconciled) >= reconcileInterval {
		if err := f.reconcile(ctx); err != nil {
			return 0, err
		}
		f.reconciled = time.Now()
	}
	if found, err = f.publishBatch(ctx); err != nil {
		return 0, err
	}
	if !time.Now().Before(f.removal) {
		f.removeSome(ctx)
	}
	return found, nil
}

// removeSome removes erased events, and says when to go on.
func (f *forwarder) removeSome(ctx context.Context) {
	more, err := f.removeErased(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		f.trouble.Warn(ctx, "cannot remove erased events, retrying", "error", err)
		f.removal = time.Now().Add(removeRetry)
	case !more:
		f.removal = time.Now().Add(removeInterval)
	}
}

// publishBatch publishes the oldest rows that wait and marks those that were
// acknowledged. It tells how many it found.
func (f *forwarder) publishBatch(ctx context.Context) (found int, err error) {
	rows, err := f.outbox.pending(ctx)
	if err != nil {
		return 0, err
	}
	for _, round := range rounds(rows) {
		placed, publishErr := f.stream.publish(ctx, round)
		placed = withoutLost(placed)
		if len(placed) > 0 {
			lost, err := f.outbox.mark(ctx, placed)
			if err != nil {
				return 0, err
			}
			f.metrics.published.Add(float64(len(placed)))
			f.metrics.refilled.Add(float64(lost))
		}
		if publishErr != nil {
			f.metrics.publishFailures.Add(float64(len(round) - len(placed)))
			return 0, publishErr
		}
	}
	return len(rows), nil
}

// withoutLost drops the stream sequences that a later one shows to be lost: sequences only
// grow, so a stream that assigns one again was reset or restored in between.
func withoutLost(placed []place) []place {
	next := int64(math.MaxInt64)
	for i, p := range slices.Backward(placed) {
		if p.streamSeq >= next {
			placed = slices.Delete(placed, i, i+1)
		} else if !p.duplicate {
			next = p.streamSeq
		}
	}
	return placed
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

// reconcile makes sure that the stream exists and holds what the outbox says it
// holds. Rows that the stream has lost wait for publication again.
func (f *forwarder) reconcile(ctx context.Context) error {
	state, err := f.stream.ensure(ctx)
	if err != nil {
		return err
	}
	known, err := f.outbox.streamCreated(ctx)
	if err != nil {
		return fmt.Errorf("read stream state: %w", err)
	}
	var lost int64
	if known.Equal(state.created) {
		lost, err = f.refill(ctx, state)
	} else {
		lost, err = f.outbox.resetAll(ctx)
	}
	if err != nil {
		return fmt.Errorf("mark lost events: %w", err)
	}
	if lost > 0 {
		f.metrics.refilled.Add(float64(lost))
		f.log.Warn("the stream has lost events, publishing them again", "events", lost, "stream_created", state.created)
	}
	// Last, so that a crash in between finds the difference again.
	if err := f.outbox.remember(ctx, state.created); err != nil {
		return fmt.Errorf("write stream state: %w", err)
	}
	return nil
}

// refill finds what a stream has lost that was not created again. One that was set
// back and has grown since, by events whose places nobody marked, holds another
// event where the outbox has its newest; how many are lost cannot be seen then.
func (f *forwarder) refill(ctx context.Context, state streamState) (int64, error) {
	lost, err := f.outbox.resetLost(ctx, state.first, state.last)
	if err != nil {
		return 0, err
	}
	id, streamSeq, err := f.outbox.newest(ctx)
	// There is no place before the first; a stream that is new has no first either.
	if err != nil || streamSeq < max(1, state.first) {
		return lost, err
	}
	there, err := f.stream.holds(ctx, streamSeq, id)
	if err != nil || there {
		return lost, err
	}
	more, err := f.outbox.resetAll(ctx)
	return lost + more, err
}
