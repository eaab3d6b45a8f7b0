package email_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
)

func TestAnEmailSaysWhichApprovalItIsAbout(t *testing.T) {
	e := entry.Entry{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Email: entry.StoredEmail("ada@example.com"), Version: 12}
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := templates.Compose(email.Approval(e, "https://fledge.example", "t0ken", "l3ave"))
	if err != nil || m.To != "ada@example.com" || m.Key != "waitlist-approved/0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8/12" {
		t.Fatalf("%s to %s, %v", m.Key, m.To, err)
	}
	if m.Unsubscribe != "https://fledge.example/api/leave-waitlist?token=l3ave" || !strings.Contains(m.Text, "https://fledge.example/leave-waitlist#l3ave") {
		t.Errorf("no way to leave: %s, %s", m.Unsubscribe, m.Text)
	}
	if id, version, ok := email.ApprovalOf(m.Key); !ok || id != e.ID || version != e.Version {
		t.Errorf("%s, %d, %t", id, version, ok)
	}
	for _, other := range []string{"", "ticket/0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8/12", "waitlist-approved/ada/2", "waitlist-approved/0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"} {
		if id, version, ok := email.ApprovalOf(other); ok {
			t.Errorf("%q: %s, %d", other, id, version)
		}
	}
}
