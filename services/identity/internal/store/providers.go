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
	err = s.aloneAtKratos(ctx, id, func(ctx context.Context, tx pgx.Tx) error {
		before, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		providers, err := change(ctx)
		if err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx) // it is done: that the person has hung up must not undo it here
		row, err := s.q.SetProviders(ctx, tx, db.SetProvidersParams{ID: id, Identities: providers})
		if err != nil {
			return err
		}
		user = toUser(row)
		return s.tellOfProviders(ctx, tx, toUser(before), user, now)
	})
	return user, err
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
