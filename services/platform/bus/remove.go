package bus

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// removeErased deletes the messages of erased rows, and then the rows; a crash in between is
// made up for by the next one. It tells whether more may be left.
func (f *forwarder) removeErased(ctx context.Context) (more bool, err error) {
	rows, err := f.outbox.erased(ctx)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	var done []int64
	var failures []error
	for began := time.Now(); len(done) < len(rows) && time.Since(began) < eraseBudget; {
		row := rows[len(done)]
		if err := f.removeMessage(ctx, row); err != nil {
			failures = append(failures, err)
			break
		}
		done = append(done, row.seq)
	}
	if err := f.outbox.forget(ctx, done); err != nil {
		failures = append(failures, fmt.Errorf("delete erased events: %w", err))
	}
	return (len(done) < len(rows) || len(rows) == eraseBatch) && len(failures) == 0, errors.Join(failures...)
}

// removeMessage looks before it deletes: a stream that was set back and has grown since
// holds another event in that place.
func (f *forwarder) removeMessage(ctx context.Context, row erasedRow) error {
	if row.streamSeq == 0 {
		return nil
	}
	there, err := f.stream.holds(ctx, row.streamSeq, row.id)
	if err != nil || !there {
		return err
	}
	return f.stream.remove(ctx, row.streamSeq)
}
