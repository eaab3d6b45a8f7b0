package store_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

// mod is a member of staff who is told of what customers wrote.
var mod = ticket.Person{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9ba"), Email: "mod@example.com"}

// telling is a fixture whose staff are told as notices says, unless they chose, and whose mod is known
// and has chosen; "" for whoever has not.
func telling(t *testing.T, notices, chosen ticket.Notices) *fixture {
	t.Helper()
	f := newFixture(t)
	f.restart(notices)
	errtest.None(t, f.SetNotices(f.staff(), mod, ticket.AtOnce))
	f.exec("UPDATE desk_staff SET notices = nullif($1, '')", string(chosen))
	return f
}

// restart replaces the store by one whose STAFF_NOTICES are notices.
func (f *fixture) restart(notices ticket.Notices) {
	f.Store = store.New(f.pool, f.clock, f.emails, store.Config{
		Deadline: waittest.Timeout, TicketsPerHour: 10, RepliesPerHour: 30, Notices: notices, TeamAddress: "team@fledge.example", Webhook: true,
		Email: email.Config{SiteOrigin: "https://fledge.example"}, IsStaff: anybody,
	})
}

// tell does what the task does, and returns the subjects of all emails to mod so far.
func (f *fixture) tell() (subjects []string) {
	f.t.Helper()
	due, err := f.StaffWithNews(f.t.Context())
	errtest.None(f.t, err)
	for _, member := range due {
		errtest.None(f.t, f.Tell(f.t.Context(), member, mod.Email))
	}
	rows, err := f.pool.Query(f.t.Context(), `SELECT args->'message'->>'Subject' FROM mail.river_job WHERE args->'message'->>'To' = $1 ORDER BY id`, mod.Email)
	errtest.None(f.t, err)
	defer rows.Close()
	for rows.Next() {
		var subject string
		errtest.None(f.t, rows.Scan(&subject))
		subjects = append(subjects, subject)
	}
	return subjects
}

const (
	newTicket  = "[TKT-000001] New ticket"
	newMessage = "[TKT-000001] New message from a customer"
)

// TestATicketIsNewUntilItIsAnsweredOrTold, as it is when the email is made.
func TestATicketIsNewUntilItIsAnsweredOrTold(t *testing.T) {
	f := telling(t, ticket.Off, ticket.Daily)
	f.update(f.open(ada, about("x")).ID, ticket.Update{Response: "Which version?"})
	f.clock.Advance(25 * time.Hour)
	if told := f.tell(); len(told) != 0 {
		t.Errorf("of an answered ticket told %q", told)
	}

	f = telling(t, ticket.Off, ticket.Daily)
	id := f.open(ada, about("x")).ID
	f.reply(ada, id, "and more")
	f.clock.Advance(25 * time.Hour)
	if told := f.tell(); !slices.Equal(told, []string{newTicket}) {
		t.Errorf("written to twice: told %q", told)
	}
	f.reply(ada, id, "and more")
	f.clock.Advance(25 * time.Hour)
	if told := f.tell(); !slices.Equal(told, []string{newTicket, newMessage}) {
		t.Errorf("written to after that: told %q", told)
	}

	f = telling(t, ticket.Off, ticket.Daily)
	id = f.open(ada, about("x")).ID
	f.update(id, ticket.Update{Response: "Which version?"})
	f.reply(ada, id, "and more")
	f.clock.Advance(25 * time.Hour)
	if told := f.tell(); !slices.Equal(told, []string{newMessage}) {
		t.Errorf("answered and written to: told %q", told)
	}
}

// TestWhoeverIsToGetNoEmailsGetsNone, also not those that wait when the setting becomes off.
func TestWhoeverIsToGetNoEmailsGetsNone(t *testing.T) {
	f := telling(t, ticket.Hourly, "")
	f.open(ada, about("x"))
	f.restart(ticket.Off)
	f.clock.Advance(2 * time.Hour)
	if told := f.tell(); len(told) != 0 {
		t.Errorf("told %q", told)
	}
	f.restart(ticket.Hourly)
	if told := f.tell(); len(told) != 0 {
		t.Errorf("when it is hourly again, told %q", told)
	}
	f.open(ada, about("y"))
	if told := f.tell(); len(told) != 0 {
		t.Errorf("before the hour is over, told %q", told)
	}
	f.clock.Advance(time.Hour)
	if told := f.tell(); len(told) != 1 {
		t.Errorf("after it, told %q", told)
	}
}

// TestAMessageThatComesWhileTheEmailIsMadeIsTold: its transaction began before, and ends after.
func TestAMessageThatComesWhileTheEmailIsMadeIsTold(t *testing.T) {
	f := telling(t, ticket.Off, ticket.AtOnce)
	id := f.open(ada, about("x")).ID
	f.update(id, ticket.Update{Response: "Which version?"})

	// The reply stops at the team's email, which is the last that it writes.
	queue, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	defer func() { _ = queue.Rollback(context.Background()) }()
	if _, err := queue.Exec(t.Context(), "LOCK TABLE mail.river_job IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() { f.reply(ada, id, "and more") })
	f.blocked(1, func() bool { return false })
	var done atomic.Bool
	wait.Go(func() {
		defer done.Store(true)
		if err := f.Tell(t.Context(), mod.ID, mod.Email); err != nil {
			t.Error(err)
		}
	})
	f.blocked(2, done.Load)
	errtest.None(t, queue.Rollback(t.Context()))
	wait.Wait()
	if told := f.tell(); !slices.Equal(told, []string{newMessage}) {
		t.Errorf("told %q", told)
	}
}

// TestARefusedCallHoldsAllOthers, also those that are stored while it does.
func TestARefusedCallHoldsAllOthers(t *testing.T) {
	f := telling(t, ticket.Off, "")
	due := func(want int) (first uuid.UUID) {
		t.Helper()
		calls, err := f.DueCalls(t.Context())
		if err != nil || len(calls) != want {
			t.Fatalf("due are %d, %v, want %d", len(calls), err, want)
		}
		if want > 0 {
			first = calls[0].ID
		}
		return first
	}
	putOff := func(id uuid.UUID, pause, hold time.Duration) {
		t.Helper()
		var held time.Time
		if hold > 0 {
			held = f.clock.Now().Add(hold)
		}
		errtest.None(t, f.PutOffCall(t.Context(), id, f.clock.Now().Add(pause), held))
	}
	f.open(ada, about("x"))
	first := due(1)
	putOff(first, 2*time.Minute, time.Minute)
	f.open(ada, about("y"))
	due(0)
	f.clock.Advance(time.Minute)
	if due(1) == first {
		t.Error("the refused call is due before its time")
	}
	f.clock.Advance(time.Minute)
	due(2)
	putOff(first, time.Minute, 0)
	due(1)
}

// blocked returns when n statements wait for locks, or when that cannot be any more.
func (f *fixture) blocked(n int, or func() bool) {
	f.t.Helper()
	waittest.Eventually(f.t, "statements wait", func() bool {
		var waiting int
		errtest.None(f.t, f.pool.QueryRow(f.t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
		return waiting >= n || or()
	})
}

// TestWhetherTheTeamIsReachedIsNotGuessed while the database cannot say.
func TestWhetherTheTeamIsReachedIsNotGuessed(t *testing.T) {
	f := telling(t, ticket.Off, "")
	ended, end := context.WithCancel(t.Context())
	end()
	if samples, err := f.TeamUnreachable().Look(ended); err == nil {
		t.Errorf("it is said to be %v", samples)
	}
	if samples, err := f.TeamUnreachable().Look(t.Context()); err != nil || len(samples) != 1 || samples[0].Value != 0 {
		t.Errorf("it is said to be %v, %v", samples, err)
	}
}
