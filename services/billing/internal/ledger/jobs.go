package ledger

import (
	"context"

	"fledge.dev/services/platform/service"
)

// Unit ends expired holds and grants and checks all balances, regularly, until stopped.
// It starts even if the database does not answer.
func (l *Ledger) Unit() service.Unit {
	return service.Background("ledger",
		func(ctx context.Context) { service.Every(ctx, l.cfg.LapseEvery, l.lapseTurn) },
		func(ctx context.Context) { service.Every(ctx, l.cfg.CheckEvery, l.checkTurn) })
}

func (l *Ledger) lapseTurn(ctx context.Context) {
	if err := l.Lapse(ctx); err != nil && ctx.Err() == nil {
		l.log.Error("cannot end holds and grants that are due", "error", err)
	}
}

func (l *Ledger) checkTurn(ctx context.Context) {
	if _, err := l.Check(ctx); err != nil && ctx.Err() == nil {
		l.log.Error("cannot check the balances", "error", err)
	}
}
