package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// Two statements that change the same rows would wait for each other for ever if
// each had locked one: all of them begin with the lowest id, wherever it is stored.
func TestRowsAreLockedInTheOrderOfTheirIds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table string
		run   func(f *fixture, low, high uuid.UUID) error
	}{
		"disabled": {"users", func(f *fixture, low, high uuid.UUID) error {
			_, _, err := f.Disable(f.t.Context(), []uuid.UUID{high, low}, account.Inactive, epoch, epoch)
			return err
		}},
		"enabled": {"users", func(f *fixture, low, high uuid.UUID) error {
			_, err := f.Enable(f.t.Context(), []uuid.UUID{high, low}, epoch, epoch)
			return err
		}},
		"signed in": {"users", func(f *fixture, low, high uuid.UUID) error {
			at := epoch.Add(time.Hour)
			_, err := f.RaiseSignIns(f.t.Context(), []account.SignIn{{UserID: high, At: at}, {UserID: low, At: at}})
			return err
		}},
		"accounts that are gone": {"users", func(f *fixture, _, _ uuid.UUID) error {
			return f.EraseGone(f.t.Context(), epoch, epoch)
		}},
		"families of the disabled": {"session_families", func(f *fixture, low, high uuid.UUID) error {
			_, _, err := f.Disable(f.t.Context(), []uuid.UUID{high, low}, account.Inactive, epoch, epoch)
			return err
		}},
		"families that ended in Kratos": {"session_families", func(f *fixture, low, high uuid.UUID) error {
			_, err := f.EndFamilies(f.t.Context(), []uuid.UUID{high, low}, epoch)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			low, high := uuid.UUID{1}, uuid.UUID{2}
			for _, id := range []uuid.UUID{high, low} {
				f.exec(`INSERT INTO users (id, email, provider, identities, email_confirmed_at, created_at, last_sign_in_at, disabled_at, disabled_because)
					VALUES ($1::uuid, $1::text || '@example.com', 'google', '{google}', $2, $2, $2, $2, 'gone')`, id.String(), epoch)
			}
			// The lower family is the higher account's, so that no index has them in order.
			for id, owner := range map[uuid.UUID]uuid.UUID{low: high, high: low} {
				f.exec(`INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, expires_at, user_agent, ip_address)
					VALUES ($1, $2, $2, 0, sha256(''), $3, $3, $3, '', '')`, id, owner, epoch)
			}
			tx, err := f.pool.Begin(t.Context())
			errtest.None(t, err)
			defer func() { _ = tx.Rollback(t.Context()) }()
			if _, err := tx.Exec(t.Context(), `SELECT FROM `+c.table+` WHERE id = $1 FOR UPDATE`, low); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- c.run(f, low, high) }()
			waittest.Eventually(t, "it waits for the lowest id", func() bool {
				return f.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
			})
			// Had the other row been locked on the way, this would fail at once.
			f.exec(`SELECT FROM `+c.table+` WHERE id = $1 FOR NO KEY UPDATE NOWAIT`, high)
			errtest.None(t, tx.Rollback(t.Context()))
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
