package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Repair implements projection.Store.
func (s *Store) Repair(
	ctx context.Context, listed []account.Known, again func(context.Context, uuid.UUID) (account.Known, error), now time.Time,
) (added, repaired []uuid.UUID, err error) {
	var p db.DifferingUsersParams
	for _, k := range listed {
		p.Ids, p.Emails = append(p.Ids, k.UserID), append(p.Emails, k.Email)
		p.Providers = append(p.Providers, strings.Join(k.Identities, ","))
		p.ConfirmedAts, p.CreatedAts = append(p.ConfirmedAts, k.ConfirmedAt), append(p.CreatedAts, k.CreatedAt)
	}
	differing, unknown, err := s.differing(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range differing {
		changed, err := s.repairAlone(ctx, id, again, now)
		if err != nil {
			return nil, repaired, err
		}
		if changed {
			repaired = append(repaired, id)
		}
	}
	missing := map[uuid.UUID]bool{}
	for _, id := range unknown {
		missing[id] = true
	}
	for _, k := range listed {
		if !missing[k.UserID] {
			continue
		}
		if _, err := s.RecordSignIn(ctx, k.FirstSignIn(), now); err != nil {
			return added, repaired, err
		}
		added = append(added, k.UserID)
	}
	return added, repaired, nil
}

func (s *Store) differing(ctx context.Context, p db.DifferingUsersParams) (differing, unknown []uuid.UUID, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	if differing, err = s.q.DifferingUsers(ctx, s.pool, p); err == nil {
		unknown, err = s.q.UnknownUsers(ctx, s.pool, p.Ids)
	}
	return differing, unknown, pg.Fault(err, nil)
}

// repairAlone brings an account in line with what Kratos says while nothing else changes it there.
func (s *Store) repairAlone(
	ctx context.Context, id uuid.UUID, again func(context.Context, uuid.UUID) (account.Known, error), now time.Time,
) (changed bool, err error) {
	err = s.aloneAtKratos(ctx, id, func(ctx context.Context, tx pgx.Tx) error {
		k, err := again(ctx, id)
		if err != nil || k.Email == "" {
			return err
		}
		row, err := s.q.RepairUser(ctx, tx, db.RepairUserParams{
			ID: id, Email: k.Email, Identities: append([]string{}, k.Identities...), EmailConfirmedAt: k.ConfirmedAt, CreatedAt: k.CreatedAt,
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // as it should be, or erased
		}
		if err != nil {
			return err
		}
		changed = true
		after := toUser(row.User)
		before := after
		before.Identities = row.Had
		if err := s.tellOfProviders(ctx, tx, before, after, now); err != nil || !row.HasMoved {
			return err
		}
		return s.announceEmail(ctx, tx, id, now)
	})
	return changed && err == nil, err
}

// RaiseSignIns implements projection.Store.
func (s *Store) RaiseSignIns(ctx context.Context, signIns []account.SignIn) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	var p db.RaiseSignInsParams
	for _, in := range signIns {
		p.Ids, p.Providers, p.Ats = append(p.Ids, in.UserID), append(p.Providers, in.Provider), append(p.Ats, in.At)
	}
	n, err := s.q.RaiseSignIns(ctx, s.pool, p)
	return int(n), pg.Fault(err, nil)
}
