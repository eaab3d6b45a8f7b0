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
	for access, want := range map[*account.Access]bool{
		{SignedIn: true, Active: true, Roles: roles}: true,
		{SignedIn: true, Roles: roles}:               false,
		{Active: true, Roles: roles}:                 false,
		{SignedIn: true, Active: true}:               false,
	} {
		if access.IsAdmin() != want {
			t.Errorf("%+v: want %t", access, want)
		}
	}
}

func TestProvidersAreDistinct(t *testing.T) {
	s := account.SignIn{Provider: "google", Identities: []string{"google", "", "apple"}}
	if got := s.Providers(); !slices.Equal(got, []string{"apple", "google"}) {
		t.Errorf("got %v", got)
	}
}
