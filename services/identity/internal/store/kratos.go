package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
)

// mayAsk waits for one of the places of transactions within which Kratos is asked, until done is called.
func (s *Store) mayAsk(ctx context.Context) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	select {
	case s.asking <- struct{}{}:
		return func() { <-s.asking }, nil
	case <-ctx.Done():
		return nil, pg.Fault(ctx.Err(), nil)
	}
}

// AloneAtKratos runs change, which writes an identity in Kratos: one at a time for each, because Kratos writes all of
// an identity back and undoes with it what changed meanwhile.
func (s *Store) AloneAtKratos(ctx context.Context, id uuid.UUID, change func(context.Context) error) error {
	return s.aloneAtKratos(ctx, id, func(ctx context.Context, _ pgx.Tx) error { return change(ctx) })
}

// aloneAtKratos is AloneAtKratos for a change with a part in the database. Neither the deadline of the database nor a
// caller that hangs up ends the transaction: Kratos may take longer, and what it has done is to be written down.
func (s *Store) aloneAtKratos(ctx context.Context, id uuid.UUID, change func(ctx context.Context, tx pgx.Tx) error) error {
	done, err := s.mayAsk(ctx)
	if err != nil {
		return err
	}
	defer done()
	return s.lockedAtKratos(ctx, id, change)
}

// lockedAtKratos is aloneAtKratos for who has a place.
func (s *Store) lockedAtKratos(ctx context.Context, id uuid.UUID, change func(ctx context.Context, tx pgx.Tx) error) error {
	return pg.Fault(pgx.BeginFunc(context.WithoutCancel(ctx), s.pool, func(tx pgx.Tx) error {
		if err := s.q.LockKratosState(ctx, tx, id); err != nil {
			return err
		}
		return change(ctx, tx)
	}), nil)
}
