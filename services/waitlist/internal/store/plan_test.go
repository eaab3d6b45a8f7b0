package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// TestHotStatementsReadNoWholeTable with 100,000 entries.
func TestHotStatementsReadNoWholeTable(t *testing.T) {
	t.Parallel()
	crowd := newCrowd(t)
	crowd.exec(`INSERT INTO unconfirmed (id, email, source, consent, created_at, mailed_at, ends_at)
		SELECT gen_random_uuid(), n || '@example.org', 'hero_section', '', now(), now(), now() FROM generate_series(1, 10000) n`)
	crowd.exec(`ANALYZE unconfirmed`)
	plans := pgtest.RecordPlans(t, crowd.pool.Config().ConnString())
	f, searching := fixtureWith(t, plans.Pool, timed()), fixtureWith(t, plans.Values, patient)
	plans.Of("sign up", func() error {
		_, err := f.Join(t.Context(), email(t, "new@example.com"), entry.HeroSection)
		return err
	})
	plans.Of("status", func() error { _, err := f.Status(t.Context(), uuid.New(), email(t, "new@example.com")); return err })
	confirms := timed()
	confirms.ConfirmSignUps = true
	confirming := fixtureWith(t, plans.Pool, confirms)
	plans.Of("sign up, to be confirmed", func() error {
		_, err := confirming.Join(t.Context(), email(t, "other@example.com"), entry.HeroSection)
		return err
	})
	hash := make([]byte, 32)
	plans.Of("invitation", func() error {
		if _, err := f.Invitation(t.Context(), hash, store.Account{}); !errors.Is(err, fault.NotFound) {
			return err
		}
		return nil
	})
	plans.Of("reminders that are due", func() error { return f.Remind(t.Context()) })
	plans.Of("invitations that end", func() error { return f.Expire(t.Context()) })
	plans.Of("confirm", func() error {
		if _, err := f.Confirm(t.Context(), uuid.New()); !errors.Is(err, fault.NotFound) {
			return err
		}
		return nil
	})
	plans.Of("unconfirmed", func() error { _, _, err := f.ListUnconfirmed(t.Context(), "", nil, store.MaxPage); return err })
	middle := &store.Cursor{CreatedAt: time.Now().Add(-30 * 24 * time.Hour), ID: uuid.Max}
	for _, list := range []struct {
		name   string
		in     *fixture
		filter store.Filter
		after  *store.Cursor
	}{
		{"first page", f, store.Filter{}, nil},
		{"page in the middle", f, store.Filter{}, middle},
		{"page of the rejected", f, store.Filter{Status: entry.Rejected}, middle},
		{"search", searching, store.Filter{Search: "ada.abc"}, nil},
		{"search among the pending", searching, store.Filter{Search: "ada.abc", Status: entry.Pending}, nil},
	} {
		plans.Of(list.name, func() error { _, err := list.in.List(t.Context(), list.filter, list.after, store.MaxPage); return err })
	}
	plans.Compare("testdata/plans.txt")
}
