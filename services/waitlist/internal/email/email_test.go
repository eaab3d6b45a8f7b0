package email_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/invitation"
)

func TestAnEmailSaysWhichApprovalItIsAbout(t *testing.T) {
	e := entry.Entry{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Email: entry.StoredEmail("ada@example.com"), Version: 12}
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	errtest.None(t, err)
	m, err := templates.Compose(email.Approval(e, "https://fledge.example", "t0ken", "l3ave"))
	if err != nil || m.To != "ada@example.com" || m.Key != "waitlist-approved/0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8/12" {
		t.Fatalf("%s to %s, %v", m.Key, m.To, err)
	}
	if m.Unsubscribe != "https://fledge.example/api/leave-waitlist?token=l3ave" || !strings.Contains(m.Text, "https://fledge.example/leave-waitlist#l3ave") {
		t.Errorf("no way to leave: %s, %s", m.Unsubscribe, m.Text)
	}
	for key, reminds := range map[string]bool{m.Key: false, email.Reminder(e, "https://fledge.example", "t0ken", "l3ave").Key: true} {
		if id, version, isReminder, ok := email.InvitationOf(key); !ok || id != e.ID || version != e.Version || isReminder != reminds {
			t.Errorf("%s: %s, %d, %t, %t", key, id, version, isReminder, ok)
		}
	}
	for _, other := range []string{"", "ticket/0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8/12", "waitlist-approved/ada/2", "waitlist-approved/0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"} {
		if id, version, _, ok := email.InvitationOf(other); ok {
			t.Errorf("%q: %s, %d", other, id, version)
		}
	}
}

// TestAnInvitationThatEndsSaysWhen, and another one does not.
func TestAnInvitationThatEndsSaysWhen(t *testing.T) {
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	errtest.None(t, err)
	e := entry.Entry{ID: uuid.New(), Email: entry.StoredEmail("ada@example.com"), Version: 2}
	ends := e
	ends.EndsAt = invitation.End(time.Date(2026, 12, 10, 23, 0, 0, 0, time.UTC), 14*24*time.Hour)
	for name, make := range map[string]func(e entry.Entry, siteOrigin, token, leave string) mail.Email{"approval": email.Approval, "reminder": email.Reminder} {
		with, err := templates.Compose(make(ends, "https://fledge.example", "t0ken", "l3ave"))
		if err != nil || !strings.Contains(with.Text, "24 December 2026") {
			t.Errorf("%s: %s, %v", name, with.Text, err)
		}
		without, err := templates.Compose(make(e, "https://fledge.example", "t0ken", "l3ave"))
		if err != nil || strings.Contains(without.Text, "back on the waitlist") || strings.Contains(without.Text, "\n\n\n") {
			t.Errorf("%s without an end: %s, %v", name, without.Text, err)
		}
	}
}
