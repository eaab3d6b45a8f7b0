package account_test

import (
	"slices"
	"testing"

	"fledge.dev/services/identity/internal/account"
)

func TestAddressesOfTheBootstrapSettingAreNormalised(t *testing.T) {
	admins := account.NewAdmins([]string{" Admin@Fledge.test ", "", "\u212aate@fledge.test"})
	if !admins["admin@fledge.test"] || len(admins) != 1 || admins["someone@fledge.test"] {
		t.Errorf("got %v", admins)
	}
}

func TestTheHighestRoleCounts(t *testing.T) {
	for want, roles := range map[account.Role][]account.Role{
		account.RoleAdmin:     {account.RoleAdmin, account.RoleModerator, account.RoleUser},
		account.RoleModerator: {account.RoleModerator, account.RoleUser},
		account.RoleUser:      nil,
	} {
		if got := account.Highest(roles); got != want {
			t.Errorf("%v: %s, want %s", roles, got, want)
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
