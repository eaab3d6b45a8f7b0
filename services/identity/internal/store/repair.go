package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Repair implements projection.Store.
func (s *Store) Repair(ctx context.Context, known []account.Known, now time.Time) (added, repaired []uuid.UUID, err error) {
	var p db.RepairUsersParams
	for _, k := range known {
		p.Ids, p.Emails = append(p.Ids, k.UserID), append(p.Emails, k.Email)
		p.Providers = append(p.Providers, strings.Join(k.Identities, ","))
		p.ConfirmedAts, p.CreatedAts = append(p.ConfirmedAts, k.ConfirmedAt), append(p.CreatedAts, k.CreatedAt)
	}
	if repaired, err = s.repairKnown(ctx, p, now); err != nil {
		return nil, nil, err
	}
	unknown, err := s.unknown(ctx, p.Ids)
	if err != nil {
		return nil, repaired, err
	}
	missing := map[uuid.UUID]bool{}
	for _, id := range unknown {
		missing[id] = true
	}
	for _, k := range known {
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

func (s *Store) repairKnown(ctx context.Context, p db.RepairUsersParams, now time.Time) (ids []uuid.UUID, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		ids = nil
		rows, err := s.q.RepairUsers(ctx, tx, p)
		if err != nil {
			return err
		}
		for _, row := range rows {
			ids = append(ids, row.User.ID)
			after := toUser(row.User)
			before := after
			before.Identities = row.Had
			if err := s.tellOfProviders(ctx, tx, before, after, now); err != nil {
				return err
			}
			if !row.HasMoved {
				continue
			}
			if err := s.announceEmail(ctx, tx, after.ID, now); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}

func (s *Store) unknown(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	unknown, err := s.q.UnknownUsers(ctx, s.pool, ids)
	return unknown, pg.Fault(err, nil)
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
