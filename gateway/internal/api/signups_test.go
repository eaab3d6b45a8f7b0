package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"fledge.dev/gateway/internal/api"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/proto/limits"
	"fledge.dev/services/platform/fault"
)

var errRefused = errors.New("refused")

// rush is a waitlist without a network whose calls wait until the test lets them go on.
// It refuses addresses that begin with "bad".
type rush struct {
	waitlistv1.WaitlistServiceClient
	goOn chan struct{}
	// broken is how calls for several fail.
	broken error

	mu    sync.Mutex
	calls []string
}

func (r *rush) call(ctx context.Context, name string) error {
	r.mu.Lock()
	r.calls = append(r.calls, name)
	r.mu.Unlock()
	select {
	case <-r.goOn:
		return nil
	case <-ctx.Done():
		return fault.Of(ctx.Err()) // as rpc's client does
	}
}

func (r *rush) Join(ctx context.Context, req *waitlistv1.JoinRequest, _ ...grpc.CallOption) (*waitlistv1.JoinResponse, error) {
	if err := r.call(ctx, req.GetEmail()); err != nil {
		return nil, err
	}
	if strings.HasPrefix(req.GetEmail(), "bad") {
		return nil, errRefused
	}
	return &waitlistv1.JoinResponse{}, nil
}

func (r *rush) JoinAll(ctx context.Context, req *waitlistv1.JoinAllRequest, _ ...grpc.CallOption) (*waitlistv1.JoinAllResponse, error) {
	resp := &waitlistv1.JoinAllResponse{}
	var emails []string
	for _, join := range req.GetJoins() {
		emails = append(emails, join.GetEmail())
		resp.Joined = append(resp.Joined, !strings.HasPrefix(join.GetEmail(), "bad"))
	}
	if err := r.call(ctx, strings.Join(emails, "+")); err != nil {
		return nil, err
	}
	if r.broken != nil {
		return nil, r.broken
	}
	return resp, nil
}

// came are the calls since it was last asked.
func (r *rush) came() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

// expect lets as many calls as there are go on, and fails the test unless they are these.
func (r *rush) expect(t *testing.T, want ...string) {
	t.Helper()
	got := r.came()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("the calls are %q, want %q", got, want)
	}
	for range got {
		r.goOn <- struct{}{}
	}
}

// signUp begins sign-ups in this order and returns where their answers arrive.
func (r *rush) signUp(ctx context.Context, join func(context.Context, string) error, emails ...string) map[string]chan error {
	answers := map[string]chan error{}
	for _, email := range emails {
		answers[email] = make(chan error, 1)
		go func() { answers[email] <- join(ctx, email) }()
		synctest.Wait()
	}
	return answers
}

func inRush(t *testing.T, test func(t *testing.T, r *rush, join func(context.Context, string) error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rush{goOn: make(chan struct{})}
		test(t, r, api.JoinThrough(r))
	})
}

func TestThoseWhoSignUpMeanwhileShareACall(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		answers := r.signUp(t.Context(), join, "a", "b", "c", "bad d", "e")
		r.expect(t, "a", "b") // both places are taken by one each
		r.expect(t, "c+bad d+e")
		r.expect(t, "bad d") // asks by itself, for a reason of its own
		for email, answer := range answers {
			if err := <-answer; errors.Is(err, errRefused) != (email == "bad d") {
				t.Errorf("%s: %v", email, err)
			}
		}
		// The places are free again.
		answers = r.signUp(t.Context(), join, "f", "g")
		r.expect(t, "f", "g")
		for email, answer := range answers {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}

func TestAFailureOfASharedCallIsNobodysAnswer(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		r.broken = errors.New("broken")
		answers := r.signUp(t.Context(), join, "a", "b", "c", "d")
		r.expect(t, "a", "b")
		r.expect(t, "c+d")
		r.expect(t, "c", "d")
		for email, answer := range answers {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}

// TestCallsThatHangHoldNobodyForLong: neither those who made them nor those who wait, and
// their places are free again.
func TestCallsThatHangHoldNobodyForLong(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		unavailable := func(answers map[string]chan error, began time.Time) {
			t.Helper()
			for email, answer := range answers {
				if err := <-answer; !errors.Is(err, fault.Unavailable) || fault.Of(err).Retry <= 0 {
					t.Errorf("%s got %v", email, err)
				}
			}
			if took := time.Since(began); took >= time.Second { // of the bubble, which has no other clock
				t.Errorf("they waited for %s", took)
			}
		}
		first := time.Now()
		alone := r.signUp(t.Context(), join, "a", "b")
		<-time.After(100 * time.Millisecond)
		second := time.Now()
		batched := r.signUp(t.Context(), join, "c", "d")
		unavailable(alone, first)
		if got := r.came(); !slices.Equal(got, []string{"a", "b", "c+d"}) {
			t.Errorf("the calls are %q", got)
		}
		unavailable(batched, second)
		// One place is free again though the batch hangs, and both are once it has timed out.
		third := time.Now()
		next := r.signUp(t.Context(), join, "e")
		if got := r.came(); !slices.Equal(got, []string{"e"}) {
			t.Errorf("the calls are %q", got)
		}
		unavailable(next, third)
		last := r.signUp(t.Context(), join, "f", "g")
		r.expect(t, "f", "g")
		for email, answer := range last {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}

// TestAWaitlistThatIsAwayIsEverybodysAnswer: a call for each of those who shared one would
// take as long once more.
func TestAWaitlistThatIsAwayIsEverybodysAnswer(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		r.broken = fault.New(fault.Unavailable, "database_unavailable", "Please try again.")
		answers := r.signUp(t.Context(), join, "a", "b", "c", "d")
		r.expect(t, "a", "b")
		r.expect(t, "c+d")
		for _, email := range []string{"c", "d"} {
			if err := <-answers[email]; fault.Of(err).Reason != "database_unavailable" {
				t.Errorf("%s got %v", email, err)
			}
		}
		if got := r.came(); len(got) > 0 {
			t.Errorf("further calls: %q", got)
		}
	})
}

// TestWhoAsksAgainHasWhatIsLeft: the time for a shared call and for one's own is one.
func TestWhoAsksAgainHasWhatIsLeft(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		began := time.Now()
		answers := r.signUp(t.Context(), join, "a", "b", "bad c")
		<-time.After(500 * time.Millisecond)
		r.expect(t, "a", "b")
		<-time.After(300 * time.Millisecond)
		r.expect(t, "bad c") // its company is itself
		if err := <-answers["bad c"]; !errors.Is(err, fault.Unavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took >= time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestWhoLeavesIsNotSignedUp(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		_ = r.signUp(t.Context(), join, "a", "b")
		ctx, leave := context.WithCancel(t.Context())
		gone := r.signUp(ctx, join, "c")
		_ = r.signUp(t.Context(), join, "d")
		_ = r.came()
		leave()
		synctest.Wait()
		_ = r.came() // a last try with an ended context
		if err := <-gone["c"]; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		r.goOn <- struct{}{}
		r.goOn <- struct{}{}
		r.expect(t, "d")
	})
}

func TestASharedCallHasABound(t *testing.T) {
	inRush(t, func(t *testing.T, r *rush, join func(context.Context, string) error) {
		emails := []string{"a", "b"}
		for n := range limits.SignUps + 2 {
			emails = append(emails, fmt.Sprintf("%03d", n))
		}
		answers := r.signUp(t.Context(), join, emails...)
		r.expect(t, "a", "b")
		last := 2 + limits.SignUps
		r.expect(t, strings.Join(emails[2:last], "+"), strings.Join(emails[last:], "+"))
		for email, answer := range answers {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}

// TestARushThroughTheWholeGateway: whoever shares what, everybody is signed up once and
// told so.
func TestARushThroughTheWholeGateway(t *testing.T) {
	g := start(t)
	var people sync.WaitGroup
	for n := range 50 {
		people.Go(func() {
			g.post("/api/add-waitlist-user", fmt.Sprintf(`{"email":"p%d@b.co","source":"hero_section"}`, n)).is(http.StatusOK, joined)
		})
	}
	people.Wait()
	seen := map[string]int{}
	g.waitlist.mu.Lock()
	defer g.waitlist.mu.Unlock()
	for _, request := range g.waitlist.requests {
		switch r := request.(type) {
		case *waitlistv1.JoinRequest:
			seen[r.GetEmail()]++
		case *waitlistv1.JoinAllRequest:
			for _, join := range r.GetJoins() {
				seen[join.GetEmail()]++
			}
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 people are on the list", len(seen))
	}
	for email, times := range seen {
		if times != 1 {
			t.Errorf("%s was signed up %d times", email, times)
		}
	}
}
