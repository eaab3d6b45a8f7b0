package store_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
)

// listing is the store of an installation whose bootstrap setting lists the addresses.
func (f *fixture) listing(emails ...string) *fixture {
	return &fixture{store.New(f.pool, account.NewAdmins(emails), patient), f.t, f.pool}
}

func (f *fixture) isAdmin(id uuid.UUID) bool {
	f.t.Helper()
	access, err := f.Access(f.t.Context(), id, uuid.Nil)
	errtest.None(f.t, err)
	return slices.Contains(access.Roles, account.RoleAdmin)
}

func TestWhoSignedInBeforeTheSettingBecomesAnAdminAtTheNextSignIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	founder := f.listing().person("founder@example.com", 0)
	if f.isAdmin(founder.ID) {
		t.Fatal("an admin without the setting")
	}
	f = f.listing("founder@example.com")
	for range 2 {
		f.signsIn(founder.ID, founder.Email, epoch)
	}
	if !f.isAdmin(founder.ID) {
		t.Fatal("no admin after the next sign-in")
	}
	records := audittest.Actions(t, f.pool)
	if len(records) != 1 {
		t.Fatalf("recorded %v", records)
	}
	if r := records[0]; r.GetAction() != "user.roles_changed" || r.GetActorId() != uuid.Nil.String() || r.GetActorEmail() != "bootstrap" ||
		r.GetSubject() != founder.ID.String() || r.GetSubjectLabel() != founder.Email || r.GetClientIp() != "" ||
		r.GetBefore() != `{"roles":["user"]}` || r.GetAfter() != `{"roles":["admin","user"]}` {
		t.Errorf("recorded %v", r)
	}
	if n := f.count(announced, founder.ID.String()); n != 2 {
		t.Errorf("%d announcements", n)
	}
}

func TestADismissedAdminDoesNotComeBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.person("boss@example.com", 0)
	admin := f.person("admin@example.com", 0)
	f.setRoles(admin.ID)
	f.signsIn(admin.ID, admin.Email, epoch)
	if f.isAdmin(admin.ID) {
		t.Error("the next sign-in makes an admin again")
	}
	// The identity was deleted in Kratos, and the person signs in again.
	if again := f.person("admin@example.com", 1); f.isAdmin(again.ID) {
		t.Error("a new identity is an admin again")
	}
	// The account was erased.
	f.exec(`DELETE FROM users WHERE email = 'admin@example.com'`)
	if again := f.person("admin@example.com", 2); f.isAdmin(again.ID) {
		t.Error("after the erasure they are an admin again")
	}
	added, _, err := f.repair(epoch, account.Known{UserID: uuid.New(), Email: "admin@example.com", Identities: []string{"google"}, ConfirmedAt: epoch, CreatedAt: epoch})
	if err != nil || len(added) != 1 || f.isAdmin(added[0]) {
		t.Errorf("the reconciliation with Kratos makes an admin again: %v, %v", added, err)
	}
}

func TestWhoeverWasAnAdminIsNotMadeOneByTheSetting(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.person("boss@example.com", 0)
	byStaff := f.person("ann@example.com", 0)
	f.setRoles(byStaff.ID, account.RoleAdmin)
	f.setRoles(byStaff.ID)
	f = f.listing("ann@example.com", "ann@new.example", "joann@example.com", "bob@example.com")
	f.signsIn(byStaff.ID, byStaff.Email, epoch)
	if f.isAdmin(byStaff.ID) {
		t.Error("one who was dismissed before the setting")
	}
	f.signsIn(byStaff.ID, "ann@new.example", epoch)
	f.exec(`DELETE FROM users WHERE id = $1`, byStaff.ID)
	if again := f.person("ann@new.example", 1); f.isAdmin(byStaff.ID) || f.isAdmin(again.ID) {
		t.Error("one who has changed their address")
	}
	// A moderator is none, and stays one.
	joann := f.listing().person("joann@example.com", 0)
	f.setRoles(joann.ID, account.RoleModerator)
	f.signsIn(joann.ID, joann.Email, epoch)
	if access, err := f.Access(t.Context(), joann.ID, uuid.Nil); err != nil || !slices.Equal(access.Roles, []account.Role{"admin", "moderator", "user"}) {
		t.Errorf("a moderator got %v, %v", access.Roles, err)
	}
	// A disabled account waits until it is enabled.
	bob := f.listing().person("bob@example.com", 0)
	f.exec(`UPDATE users SET disabled_at = now(), disabled_because = 'inactive' WHERE id = $1`, bob.ID)
	f.signsIn(bob.ID, bob.Email, epoch)
	if f.isAdmin(bob.ID) {
		t.Error("a disabled account")
	}
	f.exec(`UPDATE users SET disabled_at = NULL, disabled_because = NULL WHERE id = $1`, bob.ID)
	f.signsIn(bob.ID, bob.Email, epoch)
	if !f.isAdmin(bob.ID) {
		t.Error("not an admin after being enabled")
	}
}

// TestTheMigrationRemembersWhoIsOrWasAnAdmin, so that nobody who was dismissed earlier comes back.
func TestTheMigrationRemembersWhoIsOrWasAnAdmin(t *testing.T) {
	t.Parallel()
	migration, err := os.ReadFile("migrations/00012_admin_addresses.sql")
	errtest.None(t, err)
	f := newFixture(t)
	f.person("boss@example.com", 0)
	before := f.listing()
	dismissed, renamed, early := before.person("dismissed@example.com", 0), before.person("new@example.com", 0), before.person("early@example.com", 0)
	f.exec(`UPDATE users SET roles_version = 3 WHERE id = $1`, dismissed.ID)
	f.exec(`INSERT INTO audit_log (id, at, service, actor_id, actor_email, action, subject, subject_label, before, after, client_ip, user_agent, request_id)
		VALUES (gen_random_uuid(), $1, 'identity', gen_random_uuid(), 'boss@example.com', 'user.roles_changed', $2, 'old@example.com', '{"roles":["admin","user"]}', '{"roles":["user"]}', '', '', '')`,
		epoch.Add(time.Hour), renamed.ID.String())
	f.exec(`DROP TABLE admin_addresses`)
	f.exec(string(migration))
	f.exec(`DELETE FROM user_roles WHERE role = 'admin'`)
	f = f.listing("boss@example.com", "dismissed@example.com", "new@example.com", "old@example.com", "early@example.com")
	for _, email := range []string{"boss@example.com", "dismissed@example.com", "old@example.com"} {
		if user := f.person(email, 1); f.isAdmin(user.ID) {
			t.Errorf("%s is an admin again", email)
		}
	}
	f.signsIn(renamed.ID, renamed.Email, epoch)
	f.signsIn(early.ID, early.Email, epoch)
	if f.isAdmin(renamed.ID) || !f.isAdmin(early.ID) {
		t.Errorf("renamed: %t, signed in before the setting: %t", f.isAdmin(renamed.ID), f.isAdmin(early.ID))
	}
}
