package invitation_test

import (
	"testing"
	"time"

	"fledge.dev/services/waitlist/internal/invitation"
)

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
