package mail

import (
	"testing"
	"time"
)

// RFC 5321, section 4.5.4.1: "the give-up time generally needs to be at least
// 4-5 days".
func TestADeferredEmailIsTriedForDays(t *testing.T) {
	if days := giveUpAfter.Hours() / 24; days < 4 || days > 5 {
		t.Errorf("given up after %.1f days", days)
	}
	var total time.Duration
	for attempt := 1; attempt < maxAttempts; attempt++ {
		pause := retryAfter(attempt)
		if pause < retryAfter(attempt-1) || pause > 3*time.Hour {
			t.Errorf("after attempt %d the email waits %s", attempt, pause)
		}
		total += pause
	}
	if total < giveUpAfter {
		t.Errorf("River discards an email after %s, before it is given up", total)
	}
	if got := retryAfter(1); got != 4*time.Second {
		t.Errorf("the first pause is %s, too long for a person who waits", got)
	}
}
