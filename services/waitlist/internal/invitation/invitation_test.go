package invitation_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/waitlist/internal/invitation"
)

func TestATokenIsFoundByItsHash(t *testing.T) {
	token, hash := invitation.New()
	if found, ok := invitation.Hash(token); !ok || !bytes.Equal(found, hash) || bytes.Contains(hash, []byte(token)) {
		t.Errorf("%s has the hash %x, found by %x, %t", token, hash, found, ok)
	}
	if other, _ := invitation.New(); other == token {
		t.Errorf("two tokens are %s", token)
	}
	for _, wrong := range []string{"", "x", token[1:], token + "A", token[:42] + "\n" + token[42:], token[:42] + "=", strings.Repeat("/", 43)} {
		if _, ok := invitation.Hash(wrong); ok {
			t.Errorf("%q passes for a token", wrong)
		}
	}
}

// TestAnInvitationLastsThroughItsLastDay also where that day ends last.
func TestAnInvitationLastsThroughItsLastDay(t *testing.T) {
	const term = 14 * 24 * time.Hour
	want := time.Date(2026, 12, 25, 0, 0, 0, 0, time.FixedZone("UTC-12", -12*60*60))
	for _, sent := range []time.Time{time.Date(2026, 12, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 10, 23, 59, 59, 0, time.UTC)} {
		end := invitation.End(sent, term)
		if day := invitation.LastDay(end); !end.Equal(want) || day != "24 December 2026" {
			t.Errorf("sent at %s, it ends at %s, on %s", sent, end, day)
		}
	}
}
