package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// ErrLastAdmin refuses a change that would leave nobody to administer.
var ErrLastAdmin = fault.New(fault.Conflict, "last_admin", "There must be at least one admin.")

// rolesChangedMeanwhile refuses a change of other roles than were seen.
func rolesChangedMeanwhile(now []account.Role) error {
	return fault.New(fault.Conflict, "roles_changed", "The roles were changed meanwhile, to: "+strings.Join(roleNames(now), ", ")+".")
}

// The actions in the audit log.
const (
	RolesChanged  audit.Name = "user.roles_changed"
	UserDisabled  audit.Name = "user.disabled"
	UserEnabled   audit.Name = "user.enabled"
	UserSignedOut audit.Name = "user.signed_out"
	DeviceRevoked audit.Name = "user.device_revoked"
	DeletionBegun audit.Name = "user.deletion_begun"
	// AddressChanged by an operator; its label is the address before.
	AddressChanged audit.Name = "user.address_changed"
	// These are what members of staff do to their own second factor, but for the last, which is
	// another's.
	SecondFactorAdded    audit.Name = "user.second_factor_added"
	SecondFactorRemoved  audit.Name = "user.second_factor_removed"
	RecoveryCodesCreated audit.Name = "user.recovery_codes_created"
	SecondFactorReset    audit.Name = "user.second_factor_reset"
	// AccountExported by an operator: owners export their own.
	AccountExported audit.Name = "account.exported"
)

// records is where changes by staff are recorded.
var records = audit.For(auditv1.Publisher_PUBLISHER_IDENTITY, audit.Terms{
	Actions: []audit.Name{
		RolesChanged, UserDisabled, UserEnabled, UserSignedOut, DeviceRevoked, DeletionBegun, AddressChanged, AccountExported,
		SecondFactorAdded, SecondFactorRemoved, RecoveryCodesCreated, SecondFactorReset,
	},
	Fields: []string{"roles", "state", "sessions", "device", "erase_at"},
})

const rolesChanged = "fledge.identity.v1.user.roles_changed"

// SetRoles replaces an account's roles, user implied, announces them, tells the person and records
// who did it and why; roles that are held already change nothing. It fails with ErrUnknownUser, with
// ErrLastAdmin when no active admin would be left, and as "roles_changed" when others than seen are held,
// unless seen is empty. An account that ends gets no role: ErrDeleting, ErrGone.
func (s *Store) SetRoles(ctx context.Context, id uuid.UUID, roles, seen []account.Role, reason string, now time.Time) (account.RoleChange, error) {
	return s.changeRoles(ctx, id, seen, reason, now, false, func([]account.Role) []account.Role { return roles })
}

// GrantAdmin is SetRoles for the admin role in addition to those that are held.
func (s *Store) GrantAdmin(ctx context.Context, id uuid.UUID, reason string, now time.Time) (account.RoleChange, error) {
	return s.changeRoles(ctx, id, nil, reason, now, false, func(held []account.Role) []account.Role { return append(held, account.RoleAdmin) })
}

// RevokeAdmin is SetRoles without the admin role; evenLast takes it from the last admin, too.
func (s *Store) RevokeAdmin(ctx context.Context, id uuid.UUID, evenLast bool, reason string, now time.Time) (account.RoleChange, error) {
	return s.changeRoles(ctx, id, nil, reason, now, evenLast, func(held []account.Role) []account.Role {
		return slices.DeleteFunc(held, func(r account.Role) bool { return r == account.RoleAdmin })
	})
}

func (s *Store) changeRoles(ctx context.Context, id uuid.UUID, seen []account.Role, reason string, now time.Time, evenLast bool, from func(held []account.Role) []account.Role) (change account.RoleChange, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.lockRolesAsStaff(ctx, tx); err != nil {
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
			Listed: account.Listed{User: toUser(user), Roles: account.Held(from(toRoles(before)))}, Before: toRoles(before),
		}
		if !change.Changed() {
			return nil
		}
		if ends := endsOf(change.User); ends != nil && slices.ContainsFunc(change.Roles, func(r account.Role) bool { return !slices.Contains(change.Before, r) }) {
			return ends
		}
		if len(seen) > 0 && !slices.Equal(account.Held(seen), change.Before) {
			return rolesChangedMeanwhile(change.Before)
		}
		if !evenLast && !slices.Contains(change.Roles, account.RoleAdmin) {
			if err := s.keepAnAdmin(ctx, tx, change.User); err != nil {
				return err
			}
		}
		return s.replaceRoles(ctx, tx, change, reason, now)
	})
	return change, err
}

// lockRolesAsStaff locks the roles for who acts in ctx, and fails like stillStaff.
func (s *Store) lockRolesAsStaff(ctx context.Context, tx pgx.Tx) error {
	if err := s.q.LockRoles(ctx, tx); err != nil {
		return err
	}
	return s.stillStaff(ctx, tx)
}

// stillStaff fails with authn.ErrForbidden if who acts in ctx was an admin when the request came, and was dismissed or
// disabled while it waited.
func (s *Store) stillStaff(ctx context.Context, tx pgx.Tx) error {
	actor, _ := authn.FromContext(ctx)
	id, err := uuid.Parse(actor.UserID)
	if err != nil {
		return err
	}
	dismissed, err := s.q.IsDismissed(ctx, tx, id)
	if err == nil && dismissed {
		err = authn.ErrForbidden
	}
	return err
}

// endsOf refuses what nobody should get whose account ends; nil for others.
func endsOf(user account.User) error {
	switch {
	case user.DisabledBecause == account.Gone:
		return ErrGone
	case user.Deleting():
		return ErrDeleting
	}
	return nil
}

// replaceRoles writes a change down and tells everybody whom it concerns. The caller has locked the
// account's row.
func (s *Store) replaceRoles(ctx context.Context, tx pgx.Tx, change account.RoleChange, reason string, now time.Time) error {
	id, names := change.User.ID, roleNames(change.Roles)
	if err := s.q.RevokeRolesBut(ctx, tx, db.RevokeRolesButParams{UserID: id, Roles: names}); err != nil {
		return err
	}
	if err := s.q.GrantRoles(ctx, tx, db.GrantRolesParams{UserID: id, Roles: names, GrantedAt: now}); err != nil {
		return err
	}
	if slices.Contains(append(slices.Clone(change.Before), change.Roles...), account.RoleAdmin) {
		if _, err := s.q.RememberAdmin(ctx, tx, db.RememberAdminParams{Email: change.User.Email, UserID: id, Since: now}); err != nil {
			return err
		}
	}
	version, err := s.q.NextRolesVersion(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := announceRoles(ctx, tx, id, version, names, now); err != nil {
		return err
	}
	if err := s.tellRoles(ctx, tx, change, version, now); err != nil {
		return err
	}
	return records.Record(ctx, tx, audit.Action{
		Name: RolesChanged, Subject: id.String(), Label: change.User.Email, Reason: reason,
		Before: audit.State{"roles": roleNames(change.Before)}, After: audit.State{"roles": names},
	})
}

// tellRoles sends the person an email unless what they may do stays the same.
func (s *Store) tellRoles(ctx context.Context, tx pgx.Tx, change account.RoleChange, version int64, now time.Time) error {
	before, after := account.Highest(change.Before), account.Highest(change.Roles)
	if s.emails == nil || before == after {
		return nil
	}
	return s.send(ctx, tx, email.RoleChanged(before, after, version, now), change.User)
}

// grantFirstRoles gives a new account the role that everybody has.
func (s *Store) grantFirstRoles(ctx context.Context, tx pgx.Tx, user db.User, now time.Time) error {
	names := roleNames([]account.Role{account.RoleUser})
	if err := s.q.GrantRoles(ctx, tx, db.GrantRolesParams{UserID: user.ID, Roles: names, GrantedAt: now}); err != nil {
		return err
	}
	return announceRoles(ctx, tx, user.ID, user.RolesVersion, names, now)
}

// Who acts for the setting in the audit log, and why.
const (
	bootstrapActor  = "bootstrap"
	bootstrapReason = "The setting BOOTSTRAP_ADMIN_EMAILS lists the address."
)

// bootstrapAdmin makes the account an admin if the setting lists its address, and neither the address
// nor the account was one before.
func (s *Store) bootstrapAdmin(ctx context.Context, tx pgx.Tx, user db.User, now time.Time) error {
	if !s.admins[user.Email] || user.DisabledAt != nil {
		return nil
	}
	was, err := s.q.WasAdmin(ctx, tx, user.ID)
	if err != nil {
		return err
	}
	news, err := s.q.RememberAdmin(ctx, tx, db.RememberAdminParams{Email: user.Email, UserID: user.ID, Since: now})
	if err != nil || was || news == 0 {
		return err
	}
	held, err := s.q.RolesOf(ctx, tx, user.ID)
	if err != nil {
		return err
	}
	change := account.RoleChange{
		Listed: account.Listed{User: toUser(user), Roles: account.Held(append(toRoles(held), account.RoleAdmin))}, Before: toRoles(held),
	}
	if !change.Changed() {
		return nil
	}
	return s.replaceRoles(audit.WithActor(ctx, bootstrapActor), tx, change, bootstrapReason, now)
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
