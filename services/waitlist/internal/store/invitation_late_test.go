package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/mail"
	words "fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// ended has the email with the key end so, one after the other.
func (f *fixture) ended(key string, states ...mail.State) {
	f.t.Helper()
	for _, state := range states {
		f.inTx(func(tx pgx.Tx) error { return store.EmailEnded(f.t.Context(), tx, key, mail.Outcome{State: state}) })
	}
}

func approvalOf(e entry.Entry) string { return words.Approval(e, "", "", "").Key }

// TestAnInvitationWhoseEmailIsLateEndsLater, as an email that was given up, and that operators send again, names a day
// that is over.
func TestAnInvitationWhoseEmailIsLateEndsLater(t *testing.T) {
	t.Parallel()
	f := newFixture(t, timed())
	ada := f.invited("ada@example.com", 16, "mail = 'given_up', invitation_ends_at = now() - interval '1 day'")
	f.ended(approvalOf(ada), mail.Waiting, mail.Sent)
	f.expire()
	now := f.find("ada@example.com")
	if late := now.EndsAt.Sub(ada.EndsAt); now.Status != entry.Approved || late < 16*24*time.Hour || !now.InvitedAt.Equal(ada.InvitedAt.Add(late)) {
		t.Errorf("after its email was sent: %+v, before %+v", now, ada)
	}
	// It is late once: neither what is noted again nor the reminder moves the end.
	f.set(ada, "invited_at = now() - interval '8 days'")
	f.ended(approvalOf(ada), mail.Sent)
	f.remind()
	f.ended(words.Reminder(ada, "", "", "").Key, mail.GivenUp, mail.Waiting, mail.Sent)
	if again := f.find("ada@example.com"); len(f.reminded()) != 1 || !again.EndsAt.Equal(now.EndsAt) || again.Mail != mail.Sent {
		t.Errorf("after its reminder: %+v, before %+v", again, now)
	}
	f.set(ada, "invited_at = now()")
	if _, changed, err := f.Claim(t.Context(), f.hash(ada), store.Account{ID: uuid.New(), Email: "r@relay.example.com"}); !changed || err != nil {
		t.Errorf("claimed: %t, %v", changed, err)
	}
	endless := f.invited("endless@example.com", 5, "mail = 'waiting', invitation_ends_at = NULL")
	f.ended(approvalOf(endless), mail.Sent)
	if now := f.find("endless@example.com"); !now.EndsAt.IsZero() || !now.InvitedAt.After(endless.InvitedAt) {
		t.Errorf("without an end: %+v", now)
	}
}

// TestRemindersCountFromWhenTheEmailWasSent, whose reader cannot have used the invitation before.
func TestRemindersCountFromWhenTheEmailWasSent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ after, late time.Duration }{
		"before the pause is over": {48 * time.Hour, 60 * time.Hour},
		"after twice the pause":    {24 * time.Hour, 50 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := timed()
			cfg.RemindAfter = tt.after
			f := newFixture(t, cfg)
			ada := f.invited("ada@example.com", 0, "mail = 'waiting'")
			f.set(ada, "invited_at = now() - $2::interval", tt.late)
			f.ended(approvalOf(ada), mail.Sent)
			f.remind()
			if got := f.reminded(); len(got) != 0 {
				t.Errorf("as the email is sent, reminded %v", got)
			}
			f.set(ada, "invited_at = invited_at - $2::interval", tt.after+time.Hour)
			f.remind()
			if got := f.reminded(); len(got) != 1 {
				t.Errorf("later, reminded %v", got)
			}
		})
	}
}
