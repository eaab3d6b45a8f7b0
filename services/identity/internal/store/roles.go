package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// ErrLastAdmin refuses a change that would leave nobody to administer.
var ErrLastAdmin = fault.New(fault.Conflict, "last_admin", "There must be at least one admin.")

// The actions in the audit log.
const (
	RolesChanged  audit.Name = "user.roles_changed"
	UserDisabled  audit.Name = "user.disabled"
	UserEnabled   audit.Name = "user.enabled"
	UserSignedOut audit.Name = "user.signed_out"
	DeviceRevoked audit.Name = "user.device_revoked"
	DeletionBegun audit.Name = "user.deletion_begun"
)

// records is where changes by staff are recorded.
var records = audit.For(auditv1.Publisher_PUBLISHER_IDENTITY, audit.Terms{
	Actions: []audit.Name{RolesChanged, UserDisabled, UserEnabled, UserSignedOut, DeviceRevoked, DeletionBegun},
	Fields:  []string{"roles", "state", "sessions", "device", "erase_at"},
})

const rolesChanged = "fledge.identity.v1.user.roles_changed"

// SetRoles replaces an account's roles, user implied, announces them and records who
// did it and why; roles that are held already change nothing. It fails with ErrUnknownUser, and with
// ErrLastAdmin when no active admin would be left.
func (s *Store) SetRoles(ctx context.Context, id uuid.UUID, roles []account.Role, reason string, now time.Time) (change account.RoleChange, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.LockRoles(ctx, tx); err != nil {
			return err
		}
		user, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		before, err := s.q.RolesOf(ctx, tx, id)
		if err != nil {
			return err
		}
		change = account.RoleChange{
			Listed: account.Listed{User: toUser(user), Roles: account.Held(roles)}, Before: toRoles(before),
		}
		if !change.Changed() {
			return nil
		}
		return s.replaceRoles(ctx, tx, change, reason, now)
	})
	return change, err
}

func (s *Store) replaceRoles(ctx context.Context, tx pgx.Tx, change account.RoleChange, reason string, now time.Time) error {
	id, names := change.User.ID, roleNames(change.Roles)
	if !slices.Contains(change.Roles, account.RoleAdmin) {
		if err := s.keepAnAdmin(ctx, tx, id); err != nil {
			return err
		}
	}
	if err := s.q.RevokeRolesBut(ctx, tx, db.RevokeRolesButParams{UserID: id, Roles: names}); err != nil {
		return err
	}
	if err := s.q.GrantRoles(ctx, tx, db.GrantRolesParams{UserID: id, Roles: names, GrantedAt: now}); err != nil {
		return err
	}
	version, err := s.q.NextRolesVersion(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := announceRoles(ctx, tx, id, version, names, now); err != nil {
		return err
	}
	return records.Record(ctx, tx, audit.Action{
		Name: RolesChanged, Subject: id.String(), Label: change.User.Email, Reason: reason,
		Before: audit.State{"roles": roleNames(change.Before)}, After: audit.State{"roles": names},
	})
}

// grantFirstRoles gives a new account the roles that its address deserves.
func (s *Store) grantFirstRoles(ctx context.Context, tx pgx.Tx, user db.User, now time.Time) error {
	names := roleNames(s.admins.FirstRoles(user.Email))
	if err := s.q.GrantRoles(ctx, tx, db.GrantRolesParams{UserID: user.ID, Roles: names, GrantedAt: now}); err != nil {
		return err
	}
	return announceRoles(ctx, tx, user.ID, user.RolesVersion, names, now)
}

func announceRoles(ctx context.Context, tx pgx.Tx, id uuid.UUID, version int64, roles []string, now time.Time) error {
	return bus.Append(ctx, tx, bus.Event{
		Type: rolesChanged, Time: now, Subject: id.String(), Version: version,
		Payload: &eventsv1.UserRolesChanged{UserId: id.String(), Roles: roles},
	})
}

func roleNames(roles []account.Role) []string {
	var names []string
	for _, r := range roles {
		names = append(names, string(r))
	}
	return names
}
