package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	words "fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/invitation"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

const week = 7 * 24 * time.Hour

// timed is a configuration in which an unused invitation is reminded of and ends.
func timed() store.Config {
	cfg := patient
	cfg.RemindAfter, cfg.ExpireAfter = week, 2*week
	return cfg
}

// invited approves an address of which the email was sent so many days ago, by the clock of the database, and sets what
// else is so.
func (f *fixture) invited(address string, days int, set string) entry.Entry {
	f.t.Helper()
	f.clock.Advance(max(0, time.Since(f.clock.Now()).Truncate(time.Second)))
	e := f.joined(address)
	if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
		f.t.Fatal(err)
	}
	f.set(e, "mail = 'sent', invited_at = now() - make_interval(days => $2), invitation_ends_at = now() + make_interval(days => 14 - $2)", days)
	if set != "" {
		f.set(e, set)
	}
	return f.find(address)
}

func (f *fixture) set(e entry.Entry, set string, args ...any) {
	f.t.Helper()
	if _, err := f.pool.Exec(f.t.Context(), "UPDATE waitlist_users SET "+set+" WHERE id = $1", append([]any{e.ID}, args...)...); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remind() {
	f.t.Helper()
	errtest.None(f.t, f.Remind(f.t.Context()))
}

func (f *fixture) expire() {
	f.t.Helper()
	errtest.None(f.t, f.Expire(f.t.Context()))
}

// reminded lists the addresses to which a reminder is queued.
func (f *fixture) reminded() []string {
	f.t.Helper()
	rows, _ := f.pool.Query(f.t.Context(), `SELECT email FROM mail.river_job AS job
		JOIN waitlist_users AS entry ON args->>'key' LIKE 'waitlist-reminder/' || entry.id || '/%' ORDER BY job.id`) // the error comes with the rows
	to, err := pgx.CollectRows(rows, pgx.RowTo[string])
	errtest.None(f.t, err)
	return to
}

func TestWhoHasNotUsedTheInvitationIsRemindedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada := f.invited("ada@example.com", 8, "")
	f.invited("endless@example.com", 9, "invitation_ends_at = NULL")
	f.invited("fresh@example.com", 6, "")
	f.invited("long-ago@example.com", 15, "invitation_ends_at = NULL")
	f.invited("ended@example.com", 8, "invitation_ends_at = now()")
	f.invited("opened@example.com", 8, "opened_at = now()")
	f.invited("arrived@example.com", 8, "arrived_at = now()")
	f.invited("claimed@example.com", 8, "opened_at = now(), claimed_by = gen_random_uuid(), claimed_email = 'r@relay.example.com'")
	f.invited("left@example.com", 8, "left_at = now()")
	for _, state := range []mail.State{mail.Waiting, mail.Bounced, mail.GivenUp, mail.Complained} {
		f.invited(string(state)+"@example.com", 8, "mail = '"+string(state)+"'")
	}
	removed := f.invited("removed@example.com", 8, "")
	if _, _, err := f.Remove(f.staff(), removed.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f.remind()
		if got, want := f.reminded(), []string{"endless@example.com", "ada@example.com"}; !slices.Equal(got, want) {
			t.Fatalf("reminded %v, want %v", got, want)
		}
	}
	// What is sent again is another invitation.
	if _, err := f.Resend(f.staff(), ada.ID, ""); err != nil {
		t.Fatal(err)
	}
	f.set(ada, "mail = 'sent', invited_at = now() - interval '8 days', invitation_ends_at = NULL")
	f.remind()
	if got := f.reminded(); len(got) != 3 || got[2] != "ada@example.com" {
		t.Errorf("after it was sent again: %v", got)
	}
}

// TestInvitationsThatFailHoldUpNoOthers, however many they are: neither their reminders nor their ends.
func TestInvitationsThatFailHoldUpNoOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada, bob := f.invited("ada@example.com", 8, ""), f.invited("bob@example.com", 8, "")
	for n := range 101 {
		f.invited(fmt.Sprintf("broken%d@example.com", n), 9, "")
	}
	f.exec(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
		CREATE TRIGGER broken BEFORE UPDATE OF reminded_at, status ON waitlist_users FOR EACH ROW WHEN (OLD.email LIKE 'broken%') EXECUTE FUNCTION broken()`)
	if err := f.Remind(t.Context()); err == nil || len(f.reminded()) != 2 {
		t.Errorf("reminded %v, %v", f.reminded(), err)
	}
	f.exec("UPDATE waitlist_users SET invitation_ends_at = now() - CASE WHEN email LIKE 'broken%' THEN interval '2 hours' ELSE interval '1 hour' END")
	if err := f.Expire(t.Context()); err == nil || f.find(ada.Email.String()).Status != entry.Pending || f.find(bob.Email.String()).Status != entry.Pending {
		t.Errorf("not all have ended, %v", err)
	}
}

// TestAReminderHasALinkOfItsOwn, and that in the approval email goes on working.
func TestAReminderHasALinkOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada := f.invited("ada@example.com", 8, "")
	f.remind()
	var second []byte
	errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT reminder_hash FROM waitlist_users WHERE id = $1", ada.ID).Scan(&second))
	f.set(ada, "invited_at = $2", f.clock.Now())
	relay := store.Account{ID: uuid.New(), Email: "r@relay.example.com"}
	for name, hash := range map[string][]byte{"approval": f.hash(ada), "reminder": second} {
		if invited, err := f.Invitation(t.Context(), hash, relay); err != nil || invited.ID != ada.ID {
			t.Errorf("the link in the %s: %v, %v", name, invited, err)
		}
	}
	reminder := words.Reminder(ada, "https://fledge.example", "t0ken", "l3ave").Key
	due := func(want bool) {
		t.Helper()
		if got, err := f.EmailDue(t.Context(), reminder); got != want || err != nil {
			t.Errorf("the reminder is due: %t, %v", got, err)
		}
	}
	due(true)
	errtest.None(t, f.Open(t.Context(), second))
	due(false)
	f.set(ada, "opened_at = NULL, left_at = now()")
	due(false)
	f.set(ada, "left_at = NULL, invitation_ends_at = now()")
	due(false)
	err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
		return store.EmailEnded(t.Context(), tx, reminder, mail.Outcome{State: mail.Bounced, Reply: "550 5.1.1"})
	})
	if now := f.find("ada@example.com"); err != nil || now.Mail != mail.Bounced {
		t.Errorf("a reminder that bounced: %+v, %v", now, err)
	}
	if _, _, err := f.Claim(t.Context(), second, relay); err != nil {
		t.Errorf("claiming by the link in the reminder: %v", err)
	}
}

func TestRemindersGoOutInPortions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	_, err := f.pool.Exec(t.Context(), `INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, invitation_hash, invited_at, mail, leave_token)
		SELECT gen_random_uuid(), 'person' || n || '@example.com', 'approved', 'import', now(), now(), sha256(n::text::bytea), now() - interval '8 days', 'sent', gen_random_uuid()
		FROM generate_series(1, 101) AS n`)
	errtest.None(t, err)
	for _, want := range []int{100, 101, 101} {
		f.remind()
		if got := len(f.reminded()); got != want {
			t.Errorf("%d reminders, want %d", got, want)
		}
	}
}

func TestAnInvitationThatNobodyUsesExpires(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada := f.invited("ada@example.com", 15, "")
	hash := f.hash(ada)
	f.invited("still@example.com", 13, "")
	f.invited("endless@example.com", 15, "invitation_ends_at = NULL")
	f.invited("opened@example.com", 15, "opened_at = now()")
	f.invited("arrived@example.com", 15, "arrived_at = now()")
	f.invited("claimed@example.com", 15, "opened_at = now(), claimed_by = gen_random_uuid(), claimed_email = 'r@relay.example.com'")
	f.invited("left@example.com", 15, "left_at = now()")
	for _, state := range []mail.State{mail.Waiting, mail.Bounced, mail.GivenUp, mail.Complained} {
		f.invited(string(state)+"@example.com", 15, "mail = '"+string(state)+"'")
	}
	f.clock.Advance(time.Hour)
	for range 2 {
		f.expire()
	}
	now := f.find("ada@example.com")
	if now.Status != entry.Pending || !now.ExpiredAt.Equal(f.clock.Now()) || now.CreatedAt != ada.CreatedAt || now.Version != ada.Version+1 || now.Mail != "" {
		t.Errorf("after its end: %+v", now)
	}
	if n := f.count(approvedEntries); n != 10 {
		t.Errorf("%d are still approved, want 10", n)
	}
	told := audittest.Actions(t, f.pool)
	if last := told[len(told)-1]; last.GetAction() != "waitlist.invitation_expired" || last.GetActorEmail() != "waitlist" || last.GetSubjectLabel() != "ada@example.com" || len(told) != 12 {
		t.Errorf("%d records, the last is %v", len(told), last)
	}
	if _, _, err := f.Claim(t.Context(), hash, store.Account{ID: uuid.New(), Email: "r@relay.example.com"}); !errors.Is(err, fault.NotFound) {
		t.Errorf("the link works on: %v", err)
	}
	if w, err := f.PreviewWave(t.Context(), wave.Wave{}); err != nil || w.Total != 0 {
		t.Errorf("a wave would approve %d, %v", w.Total, err)
	}
	// Staff let the person in again: with another email, and another end.
	if _, changed, err := f.Approve(f.staff(), ada.ID); err != nil || !changed {
		t.Fatal(changed, err)
	}
	again := f.find("ada@example.com")
	if again.Status != entry.Approved || !again.ExpiredAt.IsZero() || !again.EndsAt.Equal(invitation.End(f.clock.Now(), 2*week)) {
		t.Errorf("approved again: %+v", again)
	}
	if got, want := f.emailed(ada), []int64{2, 4}; !slices.Equal(got, want) {
		t.Errorf("emails about the versions %v, want %v", got, want)
	}
}

// TestAnInvitationThatIsBeingUsedDoesNotExpire: whoever has locked its row decides.
func TestAnInvitationThatIsBeingUsedDoesNotExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada := f.invited("ada@example.com", 15, "")
	tx, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	if _, err := tx.Exec(t.Context(), "UPDATE waitlist_users SET opened_at = now(), claimed_by = gen_random_uuid(), claimed_email = 'r@relay.example.com' WHERE id = $1", ada.ID); err != nil {
		t.Fatal(err)
	}
	f.expire()
	errtest.None(t, tx.Commit(t.Context()))
	f.expire()
	if now := f.find("ada@example.com"); now.Status != entry.Approved {
		t.Errorf("it is %s", now.Status)
	}
}

func TestWithoutTermsAnInvitationHasNoEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	if now := f.find("ada@example.com"); !now.EndsAt.IsZero() || len(f.InvitationTasks()) != 0 {
		t.Errorf("it ends at %s, %d tasks", now.EndsAt, len(f.InvitationTasks()))
	}
}

// TestWhoHasUsedTheInvitationIsPromisedNoEnd when the email is sent again.
func TestWhoHasUsedTheInvitationIsPromisedNoEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	for set, ends := range map[string]bool{
		"mail_reply = ''": true, "opened_at = now()": false, "arrived_at = now()": false,
		"claimed_by = gen_random_uuid(), claimed_email = 'r@relay.example.com'": true, // by another address of its account
	} {
		e := f.invited(uuid.NewString()+"@example.com", 8, set)
		again, err := f.Resend(f.staff(), e.ID, "")
		errtest.None(t, err)
		if kept := f.find(e.Email.String()); again.EndsAt.IsZero() == ends || kept.EndsAt.IsZero() == ends {
			t.Errorf("%s: the email says %s, the entry %s", set, again.EndsAt, kept.EndsAt)
		}
		var promised bool
		if err := f.pool.QueryRow(t.Context(), `SELECT args->>'message' LIKE '%Please use your invitation by%' FROM mail.river_job
			WHERE args->>'key' LIKE '%/' || $1::uuid || '/%' ORDER BY id DESC LIMIT 1`, e.ID).Scan(&promised); err != nil || promised != ends {
			t.Errorf("%s: the email promises an end: %t, %v", set, promised, err)
		}
	}
}

// TestAReminderNamesNoEndWhileTheExpiryIsOff.
func TestAReminderNamesNoEndWhileTheExpiryIsOff(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	for name, expires := range map[string]time.Duration{"off": 0, "on": 2 * week} {
		cfg := timed()
		cfg.ExpireAfter = expires
		f.invited(name+"@example.com", 8, "")
		fixtureWith(t, f.pool, cfg).remind()
		var promised bool
		if err := f.pool.QueryRow(t.Context(), `SELECT args->>'message' LIKE '%Please use your invitation by%' FROM mail.river_job
			WHERE args->>'key' LIKE 'waitlist-reminder/%' ORDER BY id DESC LIMIT 1`).Scan(&promised); err != nil || promised != (expires > 0) {
			t.Errorf("the expiry is %s: the reminder promises an end: %t, %v", name, promised, err)
		}
	}
}

// TestNobodyWaitsForUnusedInvitations, so a slow database only makes the tasks slow.
func TestNobodyWaitsForUnusedInvitations(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	f.invited("ada@example.com", 8, "")
	f.invited("bob@example.com", 15, "")
	cfg := timed()
	cfg.Deadline = time.Nanosecond // no click is that fast
	slow := fixtureWith(t, f.pool, cfg)
	slow.remind()
	slow.expire()
	if to, pending := f.reminded(), f.count("waitlist_users WHERE status = 'pending'"); len(to) != 1 || pending != 1 {
		t.Errorf("reminded %v, %d expired", to, pending)
	}
}

func TestAnArrivalThatIsNotNotedIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg := timed()
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	f := newFixture(t, cfg)
	ada := f.invited("ada@example.com", 1, "")
	f.exec(`ALTER TABLE waitlist_users ADD CHECK (arrived_at IS NULL)`)
	if found, err := f.Status(t.Context(), uuid.New(), ada.Email); found.Status != entry.Approved || err != nil {
		t.Errorf("%s, %v", found.Status, err)
	}
	if !strings.Contains(log.String(), "entry="+ada.ID.String()) {
		t.Errorf("the log says %q", log.String())
	}
}

// TestAnEmailThatHasJustBeenSentIsNotSentAgain: its link would be worth nothing any more.
func TestAnEmailThatHasJustBeenSentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada := f.invited("ada@example.com", 8, "")
	for n, want := range []error{nil, fault.Conflict, fault.Conflict} {
		if _, err := f.Resend(f.staff(), ada.ID, ""); !errors.Is(err, want) {
			t.Errorf("call %d: %v", n, err)
		}
	}
	f.set(ada, "mail = 'sent'")
	if _, err := f.Resend(f.staff(), ada.ID, ""); !errors.Is(err, fault.Conflict) {
		t.Errorf("after it left: %v", err)
	}
	if now := f.find("ada@example.com"); now.Version != ada.Version+1 {
		t.Errorf("version %d", now.Version)
	}
	f.set(ada, "mail = 'bounced'")
	if _, err := f.Resend(f.staff(), ada.ID, ""); err != nil {
		t.Errorf("after it came back: %v", err)
	}
}
