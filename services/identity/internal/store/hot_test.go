package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// TestHotStatementsReadNoWholeTable with 50,000 accounts, each with a session that lives
// and two that are over: of the living alone, the planner would take either index.
func TestHotStatementsReadNoWholeTable(t *testing.T) {
	t.Parallel()
	f := newCrowd(t, nil)
	f.exec(`INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, expires_at, revoked_at, revoked_because, user_agent, ip_address)
		SELECT gen_random_uuid(), id, gen_random_uuid(), 0, sha256(id::text::bytea), now(), now(), now() + interval '1 day',
		       CASE WHEN n > 1 THEN now() END, CASE WHEN n > 1 THEN 'signed_out' END, '', '' FROM users, generate_series(1, 3) n`)
	var user, family, kratos uuid.UUID
	errtest.None(t, f.pool.QueryRow(t.Context(), `SELECT user_id, id, kratos_session_id FROM session_families WHERE revoked_at IS NULL LIMIT 1`).Scan(&user, &family, &kratos))
	plans := pgtest.RecordPlans(t, f.pool.Config().ConnString())
	hot := store.New(plans.Pool, account.Admins{}, patient)
	plans.Of("account", func() error { _, err := hot.User(t.Context(), user); return err })
	plans.Of("whether it may", func() error { _, err := hot.Access(t.Context(), user, family); return err })
	plans.Of("session by the browser's cookie", func() error { _, _, err := hot.FamilyOf(t.Context(), kratos); return err })
	plans.Of("session", func() error { _, _, err := hot.Family(t.Context(), family); return err })
	plans.Of("refresh", func() error {
		_, err := hot.Change(t.Context(), family, time.Now(), func(f *session.Family) error { f.Generation++; return nil })
		return err
	})
	plans.Of("devices", func() error { _, err := hot.Families(t.Context(), user, time.Now(), 10); return err })
	plans.Of("page of accounts", func() error { _, err := hot.Users(t.Context(), store.Filter{}, deep(f), store.MaxPage); return err })
	plans.Compare("testdata/plans.txt")
}
