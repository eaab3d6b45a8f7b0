package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// ChangeProviders implements session.Store. An account that does not exist is ErrUnknownUser.
func (s *Store) ChangeProviders(
	ctx context.Context, id uuid.UUID, now time.Time, change func(context.Context) ([]string, error),
) (user account.User, err error) {
	done, err := s.mayAsk(ctx)
	if err != nil {
		return account.User{}, err
	}
	defer done()
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.LockKratosState(ctx, tx, id); err != nil {
			return err
		}
		before, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		providers, err := change(ctx)
		if err != nil {
			return err
		}
		row, err := s.q.SetProviders(ctx, tx, db.SetProvidersParams{ID: id, Identities: providers})
		if err != nil {
			return err
		}
		user = toUser(row)
		return s.tellOfProviders(ctx, tx, toUser(before), user, now)
	})
	return user, err
}

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

// tellOfProviders queues an email to the owner for each provider that came or went.
func (s *Store) tellOfProviders(ctx context.Context, tx pgx.Tx, before, after account.User, now time.Time) error {
	if s.emails == nil {
		return nil
	}
	for _, p := range after.Identities {
		if !slices.Contains(before.Identities, p) {
			if err := s.send(ctx, tx, email.ProviderLinked(p, now), after); err != nil {
				return err
			}
		}
	}
	for _, p := range before.Identities {
		if !slices.Contains(after.Identities, p) {
			if err := s.send(ctx, tx, email.ProviderRemoved(p, now), after); err != nil {
				return err
			}
		}
	}
	return nil
}
