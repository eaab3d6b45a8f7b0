package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	words "fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

func undoable(hold time.Duration) store.Config {
	cfg := patient
	cfg.UndoFor = hold
	return cfg
}

func TestAnApprovalIsUndoneWhileItsEmailWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, undoable(time.Minute))
	e := f.joined("ada@example.com")
	f.clock.Advance(time.Hour)
	approved, _, err := f.Approve(f.staff(), e.ID)
	errtest.None(t, err)
	var leaves time.Time
	errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT scheduled_at FROM mail.river_job").Scan(&leaves))
	until := f.UndoUntil(f.find("ada@example.com"))
	if !until.Equal(f.clock.Now().Add(time.Minute)) || !leaves.After(until) {
		t.Errorf("undone until %s, and the email leaves at %s", until, leaves)
	}
	f.clock.Advance(time.Minute - time.Millisecond)
	undone, err := f.Undo(f.staff(), e.ID)
	if err != nil || undone.Status != entry.Pending || undone.Mail != "" || f.find("ada@example.com") != undone {
		t.Fatalf("Undo = %+v, %v; stored %+v", undone, err, f.find("ada@example.com"))
	}
	if due, err := f.EmailDue(t.Context(), words.Approval(approved, "", "", "").Key); err != nil || due {
		t.Errorf("the email is due: %t, %v", due, err)
	}
	if told := f.recorded(); !strings.HasPrefix(told[len(told)-1], "waitlist.approval_undone ada@example.com ") {
		t.Errorf("recorded %v", told)
	}
	if _, err := f.Undo(f.staff(), e.ID); fault.Of(err).Reason != "waitlist_user_not_approved" || !strings.Contains(fault.Of(err).Message, "no email is on its way") {
		t.Errorf("undone twice: %v", err)
	}
	if _, changed, err := f.Approve(f.staff(), e.ID); err != nil || !changed {
		t.Errorf("approved again: %t, %v", changed, err)
	}
}

// TestAnUndoBringsBackWhatWas: of an earlier invitation, and of none. The account's copy and the funnel tell nothing of the
// invitation that was not sent.
func TestAnUndoBringsBackWhatWas(t *testing.T) {
	t.Parallel()
	cfg := undoable(time.Minute)
	cfg.ExpireAfter = week
	f := newFixture(t, cfg)
	for _, address := range []string{"new@example.com", "expired@example.com", "removed@example.com"} {
		e := f.joined(address)
		if address == "new@example.com" {
			continue
		}
		if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
			t.Fatal(err)
		}
		f.set(e, "mail = 'sent', invited_at = now() - interval '9 days', invitation_ends_at = now() - interval '2 days'")
		if address == "removed@example.com" {
			if _, _, err := f.Remove(f.staff(), e.ID); err != nil {
				t.Fatal(err)
			}
			if _, _, err := f.Add(f.staff(), e.Email); err != nil {
				t.Fatal(err)
			}
			continue
		}
		f.expire()
		if f.find(address).ExpiredAt.IsZero() {
			t.Fatal("the invitation has not ended")
		}
	}
	f.clock.Advance(time.Hour)
	const all = `SELECT json_agg(to_jsonb(w) - '{updated_at,version,leave_token,invitation_hash}'::text[] ORDER BY email)::text FROM waitlist_users w`
	var before, after string
	errtest.None(t, f.pool.QueryRow(t.Context(), all).Scan(&before))
	w := f.start(wave.Wave{})
	f.work()
	if got := f.find("expired@example.com"); got.Status != entry.Pending {
		t.Fatalf("the wave has approved %+v", got)
	}
	expired := f.find("expired@example.com")
	if _, _, err := f.Approve(f.staff(), expired.ID); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, f.do(w.ID, wave.Undo))
	undone, err := f.Undo(f.staff(), expired.ID)
	if err != nil || undone != f.find("expired@example.com") || undone.ExpiredAt != expired.ExpiredAt {
		t.Errorf("undone: %+v, %v; before %+v", undone, err, expired)
	}
	if err := f.pool.QueryRow(t.Context(), all).Scan(&after); err != nil || after != before {
		t.Errorf("%v; before\n%s\nafter\n%s", err, before, after)
	}
}

func TestAnApprovalIsNotUndoneWhen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		hold   time.Duration
		then   func(*fixture, uuid.UUID)
		reason string
	}{
		"the time is over":     {time.Minute, func(f *fixture, _ uuid.UUID) { f.clock.Advance(time.Minute) }, "approval_undo_too_late"},
		"emails leave at once": {0, func(*fixture, uuid.UUID) {}, "approval_undo_too_late"},
		"the email was sent":   {time.Minute, func(f *fixture, _ uuid.UUID) { f.exec("UPDATE waitlist_users SET mail = 'sent'") }, "approval_undo_too_late"},
		"it was sent once more": {time.Minute, func(f *fixture, id uuid.UUID) {
			f.clock.Advance(2 * time.Minute)
			f.exec("UPDATE waitlist_users SET mail = 'bounced'")
			_, _ = f.Resend(f.staff(), id, "")
		}, "approval_undo_too_late"},
		"the entry was removed": {time.Minute, func(f *fixture, id uuid.UUID) { _, _, _ = f.Remove(f.staff(), id) }, "waitlist_user_not_approved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, undoable(tc.hold))
			e := f.joined("ada@example.com")
			if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
				t.Fatal(err)
			}
			tc.then(f, e.ID)
			before := f.find("ada@example.com")
			if until := f.UndoUntil(before); !until.IsZero() {
				t.Errorf("undone until %s", until)
			}
			if _, err := f.Undo(f.staff(), e.ID); !errors.Is(err, fault.Conflict) || fault.Of(err).Reason != tc.reason || f.find("ada@example.com") != before {
				t.Errorf("Undo returned %v; stored %+v", err, f.find("ada@example.com"))
			}
		})
	}
}

// TestAnApprovalByAWaveIsUndoneWithItsWave alone, and one by hand not with a wave that was before.
func TestAnApprovalByAWaveIsUndoneWithItsWave(t *testing.T) {
	t.Parallel()
	f := newFixture(t, undoable(time.Minute))
	e := f.joined("ada@example.com")
	f.clock.Advance(time.Second)
	w := f.start(wave.Wave{})
	f.work()
	if _, err := f.Undo(f.staff(), e.ID); fault.Of(err).Reason != "approval_undo_too_late" || strings.Contains(fault.Of(err).Message, "on its way") {
		t.Errorf("undone by itself: %v", err)
	}
	if _, _, err := f.Remove(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Add(f.staff(), e.Email); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, f.do(w.ID, wave.Undo))
	if got := f.find("ada@example.com"); got.Status != entry.Approved {
		t.Errorf("the wave has undone what it had not approved: %+v", got)
	}
	if _, err := f.Undo(f.staff(), e.ID); err != nil {
		t.Errorf("the approval by hand is not undone: %v", err)
	}
}

// TestAnEmailThatWaitsIsNotSentAgain: it would leave before the approval is sure. Once it has left it can be.
func TestAnEmailThatWaitsIsNotSentAgain(t *testing.T) {
	t.Parallel()
	const minutes = 5 * time.Minute
	for name, tc := range map[string]struct {
		approve func(*fixture, entry.Entry)
		hold    time.Duration
	}{
		"an approval by hand": {func(f *fixture, e entry.Entry) { _, _, _ = f.Approve(f.staff(), e.ID) }, minutes + 10*time.Second},
		"one by a wave":       {func(f *fixture, _ entry.Entry) { f.start(wave.Wave{}); f.work() }, wave.HoldFor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, undoable(minutes))
			e := f.joined("ada@example.com")
			f.clock.Advance(time.Second)
			tc.approve(f, e)
			approved := f.find("ada@example.com")
			f.clock.Advance(tc.hold - time.Millisecond)
			f.reported("ada@example.com", mail.Bounced) // an earlier email
			if _, err := f.Resend(f.staff(), e.ID, ""); fault.Of(err).Reason != "approval_email_waiting" || f.find("ada@example.com") != approved {
				t.Errorf("sent again: %v; stored %+v", err, f.find("ada@example.com"))
			}
			f.clock.Advance(time.Minute)
			f.reported("ada@example.com", mail.Bounced)
			if got := f.find("ada@example.com").Mail; got != mail.Bounced {
				t.Errorf("a report of the email that has left is %q", got)
			}
			resent, err := f.Resend(f.staff(), e.ID, "")
			if err != nil || !f.UndoUntil(resent).IsZero() {
				t.Errorf("sent again once it had left: %v, %+v", err, resent)
			}
			if _, err := f.Undo(f.staff(), e.ID); !errors.Is(err, fault.Conflict) {
				t.Errorf("undone after that: %v", err)
			}
		})
	}
}

// TestAnUndoTakesWhoHasLeftOffTheList, whose email does not wait any more.
func TestAnUndoTakesWhoHasLeftOffTheList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, undoable(time.Minute))
	e := f.joined("ada@example.com")
	if _, _, err := f.Approve(f.staff(), e.ID); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Second)
	f.reported("ada@example.com", mail.Complained)
	if until := f.UndoUntil(f.find("ada@example.com")); !until.Equal(epoch.Add(time.Minute)) {
		t.Errorf("undone until %s", until)
	}
	undone, err := f.Undo(f.staff(), e.ID)
	if err != nil || undone.Status != entry.Rejected || !undone.LeftAt.Equal(epoch.Add(time.Second)) || f.find("ada@example.com") != undone {
		t.Errorf("Undo = %+v, %v; stored %+v", undone, err, f.find("ada@example.com"))
	}
}

// TestAnUndoOfAWaveTakesWhoHasLeftOffTheList, who would keep the access otherwise.
func TestAnUndoOfAWaveTakesWhoHasLeftOffTheList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.crowd(2)
	w := f.start(wave.Wave{})
	f.work()
	f.clock.Advance(time.Second)
	f.reported("person000@example.com", mail.Complained)
	errtest.None(t, f.do(w.ID, wave.Undo))
	for address, want := range map[string]entry.Status{"person000@example.com": entry.Rejected, "person001@example.com": entry.Pending} {
		if got := f.find(address).Status; got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
	if undone := f.wave(w.ID).Undone; undone != 2 {
		t.Errorf("%d were undone", undone)
	}
}
