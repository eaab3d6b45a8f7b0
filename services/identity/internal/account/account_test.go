package account_test

import (
	"slices"
	"testing"

	"fledge.dev/services/identity/internal/account"
)

func TestFirstRoles(t *testing.T) {
	admins := account.NewAdmins([]string{" Admin@Fledge.test ", ""})
	if got := admins.FirstRoles("admin@fledge.test"); !slices.Contains(got, account.RoleAdmin) || !slices.Contains(got, account.RoleUser) {
		t.Errorf("a listed address gets %v", got)
	}
	for _, email := range []string{"", "someone@fledge.test"} {
		if got := admins.FirstRoles(email); slices.Contains(got, account.RoleAdmin) {
			t.Errorf("%q gets %v", email, got)
		}
	}
}

func TestDisabledAdminIsNoAdmin(t *testing.T) {
	roles := []account.Role{account.RoleAdmin}
	if (account.Access{Active: false, Roles: roles}).IsAdmin() || !(account.Access{Active: true, Roles: roles}).IsAdmin() {
		t.Error("only an active account with the role is an admin")
	}
}

func TestProvidersAreDistinct(t *testing.T) {
	s := account.SignIn{Provider: "google", Identities: []string{"google", "", "apple"}}
	if got := s.Providers(); !slices.Equal(got, []string{"apple", "google"}) {
		t.Errorf("got %v", got)
	}
}
