package ledger

import (
	"context"
	"time"

	"fledge.dev/services/platform/periodic"
)

// Deadlines far above what runs take, so that one that hangs ends at all.
const (
	lapseTimeout = 30 * time.Minute
	checkTimeout = 6 * time.Hour
)

// Tasks end expired holds and grants, and check all balances.
func (l *Ledger) Tasks() []periodic.Task {
	return []periodic.Task{
		{Name: "credit_lapse", Every: l.cfg.LapseEvery, Timeout: lapseTimeout, Run: l.Lapse},
		{Name: "balance_check", Every: l.cfg.CheckEvery, Timeout: checkTimeout, Exclusive: true, Run: func(ctx context.Context) error {
			_, err := l.Check(ctx)
			return err
		}},
	}
}
