package bus

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// rush is how many rows of one step make the next one worth taking unasked. PostgreSQL
// wakes whoever listens for each commit that announces something, which was most of what
// the relay cost it.
const rush = 16

// hearing is how a relay learns of rows that are appended.
type hearing struct {
	db        *pgx.Conn
	listening bool
}

// await returns when the outbox should be looked at again by someone who has just found
// so many rows: at once in a rush, and else at the next append or after pollInterval.
func (h *hearing) await(ctx context.Context, found int) error {
	switch {
	case found >= rush && !h.listening:
		return nil
	case found >= rush:
		return h.listen(ctx, false, "UNLISTEN outbox")
	case !h.listening:
		// What was appended before this was announced to nobody, so it has to be looked for.
		return h.listen(ctx, true, "LISTEN outbox")
	}
	return h.next(ctx)
}

func (h *hearing) listen(ctx context.Context, listening bool, command string) error {
	if err := inTime(ctx, func(ctx context.Context) error { _, err := h.db.Exec(ctx, command); return err }); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	h.listening = listening
	return nil
}

// next returns at the next append, or after pollInterval.
func (h *hearing) next(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, pollInterval)
	defer cancel()
	if _, err := h.db.WaitForNotification(waiting); err != nil {
		if ctx.Err() == nil && waiting.Err() != nil && !h.db.IsClosed() {
			return nil
		}
		return fmt.Errorf("await notification: %w", err)
	}
	// The batch to come covers whatever else has been announced; reading it with
	// an ended context takes only what has already arrived.
	cancel()
	for {
		if _, err := h.db.WaitForNotification(waiting); err != nil {
			return nil
		}
	}
}
