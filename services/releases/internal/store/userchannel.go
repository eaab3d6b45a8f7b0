package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

var errErased = fault.New(fault.Conflict, "account_not_in_use", "This account has been deleted.")

// UserChannel returns the channel that staff have given an account.
func (s *Store) UserChannel(ctx context.Context, userID uuid.UUID) (release.UserChannel, error) {
	return s.userChannel(ctx, s.pool, userID)
}

func (s *Store) userChannel(ctx context.Context, conn db.DBTX, userID uuid.UUID) (release.UserChannel, error) {
	row, err := s.q.UserChannel(ctx, conn, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return release.UserChannel{Channel: release.Stable}, nil
	}
	if err != nil {
		return release.UserChannel{}, pg.Fault(err, nil)
	}
	at := row.SetAt.UTC()
	return release.UserChannel{Channel: release.Channel(row.Channel), SetAt: &at}, nil
}

// SetUserChannel gives an account a channel, "" for none; changed is false when it had it already. Of an account that
// is not in use or was erased, Stable and none end what it has, and any other is a Conflict.
func (s *Store) SetUserChannel(ctx context.Context, userID uuid.UUID, channel release.Channel, inUse bool, reason string) (c release.UserChannel, changed bool, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		// Two at once are told apart by their lock, also when there is no row to lock.
		if err := s.q.LockUser(ctx, tx, userID); err != nil {
			return err
		}
		erased, err := erasure.IsErased(ctx, tx, "releases", userID)
		if err != nil {
			return err
		}
		gone := erased || !inUse
		if gone && channel != release.Stable && channel != "" {
			return errErased
		}
		ends := gone || channel == ""
		before, err := s.userChannel(ctx, tx, userID)
		if err != nil {
			return err
		}
		if given := before.SetAt != nil; given != ends && (ends || before.Channel == channel) {
			c = before
			return nil
		}
		if ends {
			err = s.q.DropUserChannel(ctx, tx, userID)
		} else {
			err = s.q.SetUserChannel(ctx, tx, db.SetUserChannelParams{UserID: userID, Channel: string(channel)})
		}
		if err != nil {
			return err
		}
		changed = true
		if c, err = s.userChannel(ctx, tx, userID); err != nil {
			return err
		}
		return staff.Record(ctx, tx, audit.Action{
			Name: UserChannelChanged, Subject: userID.String(), Reason: reason,
			Before: stateOf(before), After: stateOf(c),
		})
	})
	return c, changed, err
}

func stateOf(c release.UserChannel) audit.State {
	if c.SetAt == nil {
		return audit.State{"channel": "none"}
	}
	return audit.State{"channel": string(c.Channel)}
}

// ExportTables are what a person takes along of this service.
func (s *Store) ExportTables() []export.Table {
	return []export.Table{{
		File: "update-channel", About: "The update channel of the Mac app that our staff have given you, if any; without one it is stable.",
		Read: export.Whole(db.DBTX(s.pool), s.q.ExportUserChannel),
	}}
}

// Erase forgets the channel of an account that ends; erasure.Consumer says when it is called.
func (s *Store) Erase(ctx context.Context, tx pgx.Tx, account erasure.Account) (further []string, err error) {
	if err := s.q.LockUser(ctx, tx, account.ID); err != nil {
		return nil, err
	}
	return nil, s.q.DropUserChannel(ctx, tx, account.ID)
}
