package bus

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// burstRows is how many rows of one step make the next one worth taking without a
// notification. PostgreSQL wakes a listener at each commit that notifies, which was most
// of what the relay cost it.
const burstRows = 16

// listener tells a relay when to look at the outbox again.
type listener struct {
	db        *pgx.Conn
	listening bool
}

// await returns when the next step is due after one that found so many rows: at once
// in a burst, otherwise at the next append or after pollInterval.
func (l *listener) await(ctx context.Context, found int) error {
	switch {
	case found >= burstRows && !l.listening:
		return nil
	case found >= burstRows:
		return l.listen(ctx, false, "UNLISTEN outbox")
	case !l.listening:
		// Rows that were appended before this have notified nobody, so look at once.
		return l.listen(ctx, true, "LISTEN outbox")
	}
	return l.next(ctx)
}

func (l *listener) listen(ctx context.Context, listening bool, command string) error {
	if err := inTime(ctx, func(ctx context.Context) error { _, err := l.db.Exec(ctx, command); return err }); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	l.listening = listening
	return nil
}

// next returns at the next append, or after pollInterval.
func (l *listener) next(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, pollInterval)
	defer cancel()
	if _, err := l.db.WaitForNotification(waiting); err != nil {
		if ctx.Err() == nil && waiting.Err() != nil && !l.db.IsClosed() {
			return nil
		}
		return fmt.Errorf("await notification: %w", err)
	}
	// The next batch covers the other notifications too. Reading them with an ended
	// context takes only those that have already arrived.
	cancel()
	for {
		if _, err := l.db.WaitForNotification(waiting); err != nil {
			return nil
		}
	}
}
