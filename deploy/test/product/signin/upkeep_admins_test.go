package signin

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// anAdmin is somebody whom the first admin has made one.
func anAdmin(t *testing.T, w *world, admin *browser, email string) (*browser, session) {
	t.Helper()
	b := w.browser(t)
	b.signIn("google", email)
	s := b.session()
	setRoles(t, admin, s, "admin")
	b.api(http.MethodGet, listUsers, "", bearer(s)...).is(t, http.StatusOK, "the list of users for an admin")
	return b, s
}

func setRoles(t *testing.T, admin *browser, whom session, roles ...string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"userId": whom.User.ID, "roles": roles, "reason": "because"})
	errtest.None(t, err)
	admin.api(http.MethodPost, "/api/set-user-roles", string(body), bearer(admin.session())...).is(t, http.StatusOK, "set-user-roles")
}

// locksOut waits until the change has reached identity, and then until the gateway
// refuses what only admins may do: five seconds are promised, the rest is for a busy
// machine. The token itself would last ten minutes.
func locksOut(t *testing.T, b *browser, s session, arrived func() bool) {
	t.Helper()
	waittest.Eventually(t, "the change has arrived", arrived)
	for since := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		p := b.api(http.MethodGet, "/api/get-audit-log", "", bearer(s)...)
		if p.status == http.StatusUnauthorized || p.status == http.StatusForbidden {
			return
		}
		if took := time.Since(since); took > 30*time.Second {
			t.Fatalf("still an admin %s later: %d", took, p.status)
		}
	}
}

func adminSwitchedOff(t *testing.T, w *world, admin *browser) {
	b, s := anAdmin(t, w, admin, "off-admin@example.test")
	mac := b.mac()
	w.setState(s.User.ID, "inactive")
	locksOut(t, b, s, func() bool { return b.refresh(&mac) == http.StatusUnauthorized })
}

func adminDeleted(t *testing.T, w *world, admin *browser) {
	b, s := anAdmin(t, w, admin, "deleted-admin@example.test")
	mac := b.mac()
	w.inKratos(http.MethodDelete, "/admin/identities/"+s.User.ID, "", nil)
	locksOut(t, b, s, func() bool { return b.refresh(&mac) == http.StatusUnauthorized })
}

func adminDemoted(t *testing.T, w *world, admin *browser) {
	b, s := anAdmin(t, w, admin, "demoted-admin@example.test")
	setRoles(t, admin, s, "moderator")
	locksOut(t, b, s, func() bool { return true })
	// Two are left who could be removed, and the last one cannot be.
	p := admin.api(http.MethodPost, "/api/set-user-roles", `{"userId":"`+s.User.ID+`","roles":["admin"],"reason":"because"}`, bearer(s)...)
	if p.status != http.StatusForbidden && p.status != http.StatusUnauthorized {
		t.Errorf("made himself an admin again: %d %s", p.status, p.body)
	}
}
