package billing_test

import (
	"testing"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

// TestReplicasWithWrongClocksAgree on what is held, and until when credits can be spent.
func TestReplicasWithWrongClocksAgree(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	replicas := []instance{r.serveOn(clock.Off(-24 * time.Hour)), r.serveOn(clock.Off(24 * time.Hour))}
	_, ctx := r.funded(5000)
	for i, s := range replicas {
		held, err := s.HoldCredits(ctx, &billingv1.HoldCreditsRequest{Amount: 1000, Description: "New app", IdempotencyKey: string(rune('a' + i))})
		errtest.None(t, err)
		// The second is for a busy machine, on which the question for the time takes a while.
		if left := time.Until(held.GetExpiresAt().AsTime()); left < 13*time.Minute || left > 15*time.Minute+time.Second {
			t.Errorf("replica %d: the hold ends in %s, want the default of 15 min", i, left)
		}
		for j, other := range replicas {
			got, err := other.GetCredits(ctx, &billingv1.GetCreditsRequest{})
			if c := got.GetCredits(); err != nil || c.GetHeld() != 1000 || c.GetBalance() != int64(4000-100*i) {
				t.Errorf("replica %d, after a hold of replica %d: %v, %v", j, i, c, err)
			}
		}
		if _, err := replicas[1-i].SettleCredits(ctx, &billingv1.SettleCreditsRequest{HoldId: held.GetHoldId(), Amount: 100}); err != nil {
			t.Errorf("the other replica settles: %v", err)
		}
	}
}
