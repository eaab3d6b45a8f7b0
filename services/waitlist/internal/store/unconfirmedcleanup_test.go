package store_test

import (
	"slices"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/store"
)

func TestUnconfirmedSignUpsAreDeleted(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("old@example.com")
	f.clock.Advance(time.Second)
	f.signedUp("ada@example.com")
	f.clock.Advance(store.KeepUnconfirmed)
	if err := f.UnconfirmedCleanup().Run(t.Context()); err != nil || !slices.Equal(f.unconfirmed(""), []string{"ada@example.com"}) {
		t.Errorf("left: %v, %v", f.unconfirmed(""), err)
	}
}

// TestASignUpThatSomebodyHasLockedKeepsNoOther, nor does one of the version before that cannot leave.
func TestASignUpThatSomebodyHasLockedKeepsNoOther(t *testing.T) {
	t.Parallel()
	f := confirming(t)
	f.signedUp("held@example.com")
	f.signedUp("old@example.com")
	f.clock.Advance(store.KeepUnconfirmed + time.Second)
	f.signedUp("refused@example.com")
	f.exec(`UPDATE unconfirmed SET refused_at = mailed_at WHERE email = 'refused@example.com'`)
	f.exec(`ALTER TABLE waitlist_users ADD CONSTRAINT broken CHECK (email <> 'refused@example.com')`)
	tx, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	if _, err := tx.Exec(t.Context(), "SELECT FROM unconfirmed WHERE email = 'held@example.com' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	if err := f.UnconfirmedCleanup().Run(t.Context()); err == nil || f.count("unconfirmed WHERE email <> 'old@example.com'") != 2 || f.count("unconfirmed") != 2 {
		t.Errorf("left: %v, %v", f.unconfirmed(""), err)
	}
	errtest.None(t, tx.Rollback(t.Context()))
	f.exec(`ALTER TABLE waitlist_users DROP CONSTRAINT broken`)
	if err := f.UnconfirmedCleanup().Run(t.Context()); err != nil || f.count("unconfirmed") != 0 {
		t.Errorf("left: %v, %v", f.unconfirmed(""), err)
	}
}
