package store_test

import (
	"testing"

	"fledge.dev/services/identity/internal/account"
)

// TestTwoTabsTakeADeletionBack: the one that is late has the account as the other has left it.
func TestTwoTabsTakeADeletionBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@example.com", 0)
	user, ok, err := f.TakeBackDeletion(t.Context(), account.User{ID: ann.ID, Disabled: true}, epoch)
	if err != nil || ok || user.Disabled || user.Email != ann.Email {
		t.Errorf("taken back %t, of %+v, %v", ok, user, err)
	}
}
