package identity_test

import (
	"testing"
	"time"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

// TestStaffWorkInABrowserThatSignedInLately: not on the Mac that it handed its sign-in to, and
// not for long.
func TestStaffWorkInABrowserThatSignedInLately(t *testing.T) {
	r := newRig(t)
	const boss = "boss@fledge.test"
	of := func(age time.Duration) *identityv1.Session {
		return r.session(r.kratos.signInAt(boss, time.Now().Add(-age)))
	}
	now := of(0)
	id := now.GetUser().GetId()
	roles := []identityv1.Role{identityv1.Role_ROLE_ADMIN, identityv1.Role_ROLE_USER}
	const staff, fresh = "staff_sign_in_required", "fresh_sign_in_required"
	for name, tc := range map[string]struct {
		session     *identityv1.Session
		list, roles string
	}{
		"a browser":              {now, "", ""},
		"its Mac":                {r.mac(now), staff, staff},
		"14 minutes later":       {of(14 * time.Minute), "", ""},
		"16 minutes later":       {of(16 * time.Minute), "", fresh},
		"nearly 12 hours later":  {of(12*time.Hour - time.Minute), "", fresh},
		"more than 12 hours":     {of(12*time.Hour + time.Minute), staff, staff},
		"a Mac of that":          {r.mac(of(12*time.Hour + time.Minute)), staff, staff},
		"the last day of a life": {of(30*24*time.Hour - time.Hour), staff, staff},
	} {
		if _, err := r.ListUsers(r.as(tc.session), &identityv1.ListUsersRequest{}); reason(err) != tc.list {
			t.Errorf("%s lists: %v, want %q", name, err, tc.list)
		}
		if _, err := r.SetUserRoles(r.as(tc.session), &identityv1.SetUserRolesRequest{Reason: "because", UserId: id, Roles: roles}); reason(err) != tc.roles {
			t.Errorf("%s changes roles: %v, want %q", name, err, tc.roles)
		}
		// Whether somebody is an admin does not depend on where they are.
		if resp, err := r.IsAdmin(r.as(tc.session), &identityv1.IsAdminRequest{}); err != nil || !resp.GetIsAdmin() {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return fault.Of(err).Reason
}
