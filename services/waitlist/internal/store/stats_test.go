package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

func (f *fixture) exec(sql string, args ...any) {
	f.t.Helper()
	if _, err := f.pool.Exec(f.t.Context(), sql, args...); err != nil {
		f.t.Fatal(err)
	}
}

func TestStatsOfAnEmptyListHaveEveryDay(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.clock.Advance(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Sub(epoch)) // a February is among the days
	stats, err := f.Stats(t.Context())
	if err != nil || len(stats.Days) != store.StatsDays || len(stats.ByStatus) != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for i, day := range stats.Days {
		if want := time.Date(2026, 1, 31+i, 0, 0, 0, 0, time.UTC); !day.Day.Equal(want) || day.SignUps != 0 || day.Approvals != 0 {
			t.Errorf("day %d is %+v, want %v", i, day, want)
		}
	}
}

func TestStatsCountStatesAndDays(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("pending@example.com")
	f.joined("expired@example.com")
	f.exec(`UPDATE waitlist_users SET invitation_hash = sha256(email::bytea), invited_at = $1, invitation_expired_at = $2 WHERE email = 'expired@example.com'`, epoch.Add(-24*time.Hour), epoch)
	f.joined("expired-long-ago@example.com")
	f.exec(`UPDATE waitlist_users SET invitation_hash = sha256(email::bytea), invited_at = $1, invitation_expired_at = $2 WHERE email = 'expired-long-ago@example.com'`, epoch.AddDate(0, 0, -40), epoch)
	taken := f.joined("taken-back@example.com")
	for _, address := range []string{"yesterday@example.com", "today@example.com"} {
		if _, _, err := f.Approve(f.staff(), f.joined(address).ID); err != nil {
			t.Fatal(err)
		}
	}
	f.exec(`UPDATE waitlist_users SET reminded_at = $1 WHERE email = 'today@example.com'`, epoch)
	f.exec(`UPDATE waitlist_users SET updated_at = $1 WHERE email = 'yesterday@example.com'`, epoch.Add(-24*time.Hour))
	if _, _, err := f.Approve(f.staff(), taken.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Remove(f.staff(), taken.ID); err != nil {
		t.Fatal(err)
	}
	// One day longer ago than is looked back, the first moment that counts, and what a clock ahead of ours has written.
	for address, at := range map[string]string{"long-ago@example.com": "2026-10-22 23:59:59+00", "first@example.com": "2026-10-23 00:00:00+00", "ahead@example.com": "2026-11-22 00:00:00+00"} {
		f.joined(address)
		f.exec(`UPDATE waitlist_users SET created_at = $1 WHERE email = $2`, at, address)
	}
	stats, err := f.Stats(t.Context())
	errtest.None(t, err)
	if s := stats.ByStatus; s[entry.Pending] != 6 || s[entry.Approved] != 2 || s[entry.Rejected] != 1 {
		t.Errorf("states %v", s)
	}
	if n := stats.Invitations; n.Reminded != 1 || n.Expired != 1 {
		t.Errorf("%d reminded, %d expired", n.Reminded, n.Expired)
	}
	for i, day := range stats.Days {
		want := store.DayStats{Day: day.Day}
		switch i {
		case 0:
			want.SignUps = 1
		case store.StatsDays - 2:
			want.Approvals = 2
		case store.StatsDays - 1:
			want.SignUps, want.Approvals = 6, 1
		}
		if day != want {
			t.Errorf("%+v, want %+v", day, want)
		}
	}
}

// TestAFirstDownloadIsOfAnApproval: it counts once, of whoever uses the entry, and ends with the approval.
func TestAFirstDownloadIsOfAnApproval(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	downloads := func(account uuid.UUID, address string, want int64) {
		t.Helper()
		for range 2 {
			errtest.None(t, f.Downloaded(t.Context(), account, entry.StoredEmail(address)))
		}
		if stats, err := f.Stats(t.Context()); err != nil || stats.Invitations.Downloaded != want {
			t.Errorf("after %q %d have downloaded, want %d, %v", address, stats.Invitations.Downloaded, want, err)
		}
	}
	downloads(uuid.New(), "nobody@example.com", 0)
	ada, claimed, account := f.joined("ada@example.com"), f.joined("bob@example.com"), uuid.New()
	downloads(uuid.New(), "ada@example.com", 0)
	for _, e := range []entry.Entry{ada, claimed} {
		if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	f.exec(`UPDATE waitlist_users SET claimed_by = $1, claimed_email = 'hidden@relay.example' WHERE email = 'bob@example.com'`, account)
	downloads(uuid.New(), "ada@example.com", 1)
	downloads(account, "hidden@relay.example", 2)
	if _, _, err := f.Remove(f.staff(), ada.ID); err != nil {
		t.Fatal(err)
	}
	downloads(uuid.New(), "ada@example.com", 1)
	if f.count("waitlist_users WHERE downloaded_at IS NOT NULL") != 1 {
		t.Error("the removal has kept the download")
	}
}

// TestEachCountHasADeadlineOfItsOwn: together they may take longer.
func TestEachCountHasADeadlineOfItsOwn(t *testing.T) {
	t.Parallel()
	cfg := patient
	cfg.Deadline = 4 * time.Second
	f := newFixture(t, cfg)
	f.joined("ada@example.com")
	f.exec(`ALTER TABLE waitlist_users RENAME TO entries`)
	f.exec(`CREATE VIEW waitlist_users AS SELECT entries.* FROM (SELECT pg_sleep(1.5) OFFSET 0) slow, entries`)
	began := time.Now()
	if _, err := f.Stats(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took <= cfg.Deadline {
		t.Errorf("three slow counts took %s, which tests nothing", took)
	}
}
