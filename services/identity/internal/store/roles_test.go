package store_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

const announced = `SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.roles_changed' AND subject = $1`

func TestSetRolesReplacesAndAnnounces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@example.com", 0)
	change := f.setRoles(ann.ID, account.RoleModerator, account.RoleModerator)
	if want := []account.Role{account.RoleModerator, account.RoleUser}; !slices.Equal(change.Roles, want) || !slices.Equal(change.Before, []account.Role{account.RoleUser}) || !change.Changed() {
		t.Errorf("changed %+v", change)
	}
	for range 2 {
		if again := f.setRoles(ann.ID, account.RoleUser, account.RoleModerator); again.Changed() || again.User.ID != ann.ID {
			t.Errorf("the same roles again: %+v", again)
		}
	}
	f.setRoles(ann.ID)
	// The first sign-in, and two changes: no more, and in order.
	if n := f.count(announced, ann.ID.String()); n != 3 {
		t.Errorf("%d events", n)
	}
	if n := f.count(`SELECT max(version) FROM outbox WHERE subject = $1`, ann.ID.String()); n != 3 {
		t.Errorf("the last event has version %d", n)
	}
	access, err := f.Access(t.Context(), ann.ID, uuid.Nil)
	if err != nil || !slices.Equal(access.Roles, []account.Role{account.RoleUser}) {
		t.Errorf("in the end %+v, %v", access, err)
	}
}

func TestSetRolesOfNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.SetRoles(audittest.As(t.Context()), uuid.New(), nil, nil, "because", epoch)
	if !errors.Is(err, fault.NotFound) || fault.Of(err).Reason != "unknown_user" {
		t.Errorf("got %v", err)
	}
}

func TestTheLastActiveAdminStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	admin, boss := f.person("admin@example.com", 0), f.person("boss@example.com", 0)
	f.exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, boss.ID)
	_, err := f.SetRoles(audittest.As(t.Context()), admin.ID, nil, nil, "because", epoch)
	if !errors.Is(err, store.ErrLastAdmin) || !errors.Is(err, fault.Conflict) {
		t.Fatalf("a disabled admin is none: %v", err)
	}
	if n := f.count(announced, admin.ID.String()); n != 2 {
		t.Errorf("the refusal was announced: %d events", n)
	}
	// They may lose and win other roles, and a disabled admin may be removed.
	f.setRoles(admin.ID, account.RoleAdmin, account.RoleModerator)
	f.setRoles(boss.ID)
	f.setRoles(boss.ID, account.RoleAdmin)
	f.exec(`UPDATE users SET disabled_at = NULL`)
	f.setRoles(admin.ID)
	if _, err := f.SetRoles(audittest.As(t.Context()), boss.ID, nil, nil, "because", epoch); !errors.Is(err, store.ErrLastAdmin) {
		t.Errorf("the other one is the last now: %v", err)
	}
}

// TestADisabledAdminIsNotTheLast: the role of who cannot sign in may go when no other admin is left.
func TestADisabledAdminIsNotTheLast(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	admin, boss := f.person("admin@example.com", 0), f.person("boss@example.com", 0)
	f.exec(`UPDATE users SET disabled_at = now(), disabled_because = 'staff'`)
	for _, gone := range []account.User{boss, admin} {
		f.setRoles(gone.ID)
	}
	if n := f.count(`SELECT count(*) FROM user_roles WHERE role = 'admin'`); n != 0 {
		t.Errorf("%d are admins", n)
	}
}

// TestAChangeIsOfTheRolesThatWereSeen: of two admins who change one account at once, the later one is told.
func TestAChangeIsOfTheRolesThatWereSeen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@example.com", 0).ID
	seen, moderator, admin := []account.Role{account.RoleUser}, []account.Role{account.RoleModerator}, []account.Role{account.RoleAdmin}
	set := func(roles, seen []account.Role) error {
		_, err := f.SetRoles(audittest.As(t.Context()), ann, roles, seen, "because", epoch)
		return err
	}
	errtest.None(t, set(moderator, seen))
	err := set(admin, seen)
	if f := fault.Of(err); !errors.Is(err, fault.Conflict) || f.Reason != "roles_changed" || !strings.Contains(f.Message, "moderator, user") {
		t.Errorf("a change of other roles than were seen: %v", err)
	}
	if n := f.count(`SELECT count(*) FROM user_roles WHERE user_id = $1 AND role IN ('moderator', 'user')`, ann); n != 2 {
		t.Errorf("%d roles are as the first has set them", n)
	}
	if err := set(moderator, seen); err != nil {
		t.Errorf("what was done is done again: %v", err)
	}
	if err := set(admin, moderator); err != nil {
		t.Errorf("user is implied: %v", err)
	}
}

func TestTwoAdminsCannotRemoveEachOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := []uuid.UUID{f.person("admin@example.com", 0).ID, f.person("boss@example.com", 0).ID}
	for round := range 50 {
		for _, id := range ids {
			f.setRoles(id, account.RoleAdmin)
		}
		var wg sync.WaitGroup
		errs := make([]error, len(ids))
		for i, id := range ids {
			wg.Go(func() { _, errs[i] = f.SetRoles(audittest.As(t.Context()), id, nil, nil, "because", epoch) })
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), fault.Conflict) {
			t.Fatalf("round %d: %v", round, errs)
		}
		if n := f.count(`SELECT count(*) FROM user_roles WHERE role = 'admin'`); n != 1 {
			t.Fatalf("round %d: %d admins left", round, n)
		}
	}
}

// TestAnAccountThatEndsGetsNoRole, but may lose one.
func TestAnAccountThatEndsGetsNoRole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.person("boss@example.com", 0)
	for because, want := range map[string]error{"deleting": store.ErrDeleting, "gone": store.ErrGone} {
		ann := f.person(because+"@example.com", 1)
		f.setRoles(ann.ID, account.RoleUser, account.RoleModerator)
		f.exec("UPDATE users SET disabled_at = $2::timestamptz, disabled_because = $3::text, erase_at = CASE WHEN $3::text = 'deleting' THEN $2::timestamptz END WHERE id = $1", ann.ID, epoch, because)
		if _, err := f.GrantAdmin(audittest.As(t.Context()), ann.ID, "because", epoch); !errors.Is(err, want) {
			t.Errorf("%s: %v", because, err)
		}
		f.setRoles(ann.ID, account.RoleUser)
	}
}

// TestAnAccountThatHasEndedIsNotDeletedByStaff: as one to be deleted it could be kept.
func TestAnAccountThatHasEndedIsNotDeletedByStaff(t *testing.T) {
	t.Parallel()
	f, mails := newFixture(t), &sieve{}
	f.person("boss@example.com", 0)
	ann := f.person("ann@example.com", 1)
	f.Store = f.WithEmails(mails, "https://example.com")
	f.exec("UPDATE users SET disabled_at = $2, disabled_because = 'gone' WHERE id = $1", ann.ID, epoch)
	events := f.count("SELECT count(*) FROM outbox")
	_, err := f.DeleteByStaff(audittest.As(t.Context()), ann.ID, "because", epoch, epoch.Add(time.Hour))
	if !errors.Is(err, store.ErrGone) || len(mails.sent) > 0 {
		t.Errorf("%v, emails %v", err, mails.sent)
	}
	if n := f.count("SELECT count(*) FROM users WHERE id = $1 AND disabled_at = $2 AND disabled_because = 'gone' AND erase_at IS NULL AND state_set_at IS NULL", ann.ID, epoch); n != 1 {
		t.Error("the account is another than before")
	}
	if n := f.count("SELECT count(*) FROM outbox"); n != events {
		t.Errorf("%d events were told", n-events)
	}
}

// TestWhoIsDismissedWhileWaitingChangesNothing: the roles are checked under their lock.
func TestWhoIsDismissedWhileWaitingChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Store = f.WithEmails(noEmails{}, "https://example.com")
	boss, ann := f.person("boss@example.com", 0), f.person("ann@example.com", 0)
	as := authn.WithPrincipal(t.Context(), authn.Principal{UserID: boss.ID.String(), Email: boss.Email})
	act := func() []error {
		_, roles := f.SetRoles(as, ann.ID, []account.Role{account.RoleModerator}, nil, "because", epoch)
		_, out := f.SignOut(as, ann.ID, "because", epoch)
		_, factor := f.ResetSecondFactor(as, ann.ID, "because", epoch, factors(func() {}))
		return []error{roles, out, factor}
	}
	errtest.None(t, errors.Join(act()...))
	f.person("admin@example.com", 0)
	f.setRoles(ann.ID, account.RoleUser)
	for _, dismiss := range []string{"DELETE FROM user_roles WHERE user_id = $1 AND role = 'admin'", "UPDATE users SET disabled_at = now(), disabled_because = 'staff' WHERE id = $1"} {
		f.exec(dismiss, boss.ID)
		for i, err := range act() {
			if !errors.Is(err, fault.Forbidden) {
				t.Errorf("%d: %v", i, err)
			}
		}
	}
}
