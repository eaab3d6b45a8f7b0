package waitlist_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/waittest"
)

// schedule starts a wave that has an hour until it begins.
func (r *rig) schedule(s instance, as context.Context, search string) {
	r.t.Helper()
	req := &waitlistv1.StartWaveRequest{Id: uuid.NewString(), Search: search, StartsAt: timestamppb.New(time.Now().Add(time.Hour))}
	if _, err := s.StartWave(as, req); err != nil {
		r.t.Fatal(err)
	}
}

// TestAWaveOutlivesAKill: the service is killed in the middle of it, and the next ones go on with it.
// Everybody is approved once.
func TestAWaveOutlivesAKill(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := r.spawn()
	const people = 300
	req := &waitlistv1.ImportUsersRequest{ImportId: uuid.NewString()}
	for n := range people {
		req.Lines = append(req.Lines, &waitlistv1.ImportLine{Line: int32(n + 1), Email: fmt.Sprintf("person%03d@example.com", n)})
	}
	if _, err := first.ImportUsers(r.asAdmin(), req); err != nil {
		t.Fatal(err)
	}
	wave := uuid.NewString()
	for range 2 { // the second is a repetition
		if _, err := first.StartWave(r.asAdmin(), &waitlistv1.StartWaveRequest{Id: wave}); err != nil {
			t.Fatal(err)
		}
	}
	approved := func() int { return r.count(`SELECT count(*) FROM waitlist_users WHERE status = 'approved'`) }
	waittest.Eventually(t, "the first are approved", func() bool { return approved() > 0 })
	first.kill()
	s := r.serve()
	r.serve()
	waittest.Eventually(t, "the wave is done", func() bool {
		resp, err := s.ListWaves(r.asAdmin(), &waitlistv1.ListWavesRequest{})
		if err != nil || len(resp.GetWaves()) != 1 {
			t.Fatal(resp, err)
		}
		w := resp.GetWaves()[0]
		return w.GetState() == waitlistv1.Wave_STATE_DONE && w.GetApproved() == people && w.GetTotal() == people && w.GetStartedBy() == "admin@example.com"
	})
	if n, emails := approved(), r.count(`SELECT count(*) FROM mail.river_job WHERE scheduled_at > now()`); n != people || emails != people {
		t.Errorf("%d are approved, %d emails wait", n, emails)
	}
	seen := map[string]int{}
	for _, action := range audittest.Actions(t, r.pool) {
		seen[action.GetAction()+action.GetSubject()]++
	}
	if len(seen) != 1+1+people {
		t.Errorf("%d different records", len(seen))
	}
	for what, n := range seen {
		if n != 1 {
			t.Errorf("%s is recorded %d times", what, n)
		}
	}
}
