package waitlist_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"fledge.dev/gateway/internal/waitlist"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/proto/limits"
	"fledge.dev/services/platform/fault"
)

var errRefused = errors.New("refused")

// burst is a waitlist without a network whose calls wait until the test lets them return.
// It refuses addresses that begin with "bad".
type burst struct {
	waitlistv1.WaitlistServiceClient
	goOn chan struct{}
	// broken is how calls for several fail.
	broken error

	mu    sync.Mutex
	calls []string
}

func (b *burst) call(ctx context.Context, name string) error {
	b.mu.Lock()
	b.calls = append(b.calls, name)
	b.mu.Unlock()
	select {
	case <-b.goOn:
		return nil
	case <-ctx.Done():
		return fault.Of(ctx.Err()) // as rpc's client does
	}
}

func (b *burst) Join(ctx context.Context, req *waitlistv1.JoinRequest, _ ...grpc.CallOption) (*waitlistv1.JoinResponse, error) {
	if err := b.call(ctx, req.GetEmail()); err != nil {
		return nil, err
	}
	if strings.HasPrefix(req.GetEmail(), "bad") {
		return nil, errRefused
	}
	return &waitlistv1.JoinResponse{}, nil
}

func (b *burst) JoinAll(ctx context.Context, req *waitlistv1.JoinAllRequest, _ ...grpc.CallOption) (*waitlistv1.JoinAllResponse, error) {
	resp := &waitlistv1.JoinAllResponse{}
	var emails []string
	for _, join := range req.GetJoins() {
		emails = append(emails, join.GetEmail())
		resp.Joined = append(resp.Joined, !strings.HasPrefix(join.GetEmail(), "bad"))
	}
	if err := b.call(ctx, strings.Join(emails, "+")); err != nil {
		return nil, err
	}
	if b.broken != nil {
		return nil, b.broken
	}
	return resp, nil
}

// came are the calls since it was last asked.
func (b *burst) came() []string {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	calls := b.calls
	b.calls = nil
	return calls
}

// expect lets all calls return, and fails the test unless they are these.
func (b *burst) expect(t *testing.T, want ...string) {
	t.Helper()
	got := b.came()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("the calls are %q, want %q", got, want)
	}
	for range got {
		b.goOn <- struct{}{}
	}
}

// signUp begins sign-ups in this order and returns where their answers arrive.
func (b *burst) signUp(ctx context.Context, join func(context.Context, string) error, emails ...string) map[string]chan error {
	answers := map[string]chan error{}
	for _, email := range emails {
		answers[email] = make(chan error, 1)
		go func() { answers[email] <- join(ctx, email) }()
		synctest.Wait()
	}
	return answers
}

func inBurst(t *testing.T, test func(t *testing.T, b *burst, join func(context.Context, string) error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &burst{goOn: make(chan struct{})}
		test(t, b, waitlist.JoinThrough(b))
	})
}

func TestThoseWhoSignUpMeanwhileShareACall(t *testing.T) {
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
		answers := b.signUp(t.Context(), join, "a", "b", "c", "bad d", "e")
		b.expect(t, "a", "b") // both places are taken by one each
		b.expect(t, "c+bad d+e")
		b.expect(t, "bad d") // retries alone, for a reason of its own
		for email, answer := range answers {
			if err := <-answer; errors.Is(err, errRefused) != (email == "bad d") {
				t.Errorf("%s: %v", email, err)
			}
		}
		// The places are free again.
		answers = b.signUp(t.Context(), join, "f", "g")
		b.expect(t, "f", "g")
		for email, answer := range answers {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}

func TestAFailureOfASharedCallIsNobodysAnswer(t *testing.T) {
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
		b.broken = errors.New("broken")
		answers := b.signUp(t.Context(), join, "a", "b", "c", "d")
		b.expect(t, "a", "b")
		b.expect(t, "c+d")
		b.expect(t, "c", "d")
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
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
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
		alone := b.signUp(t.Context(), join, "a", "b")
		<-time.After(100 * time.Millisecond)
		second := time.Now()
		batched := b.signUp(t.Context(), join, "c", "d")
		unavailable(alone, first)
		if got := b.came(); !slices.Equal(got, []string{"a", "b", "c+d"}) {
			t.Errorf("the calls are %q", got)
		}
		unavailable(batched, second)
		// One place is free again though the batch hangs, and both are once it has timed out.
		third := time.Now()
		next := b.signUp(t.Context(), join, "e")
		if got := b.came(); !slices.Equal(got, []string{"e"}) {
			t.Errorf("the calls are %q", got)
		}
		unavailable(next, third)
		last := b.signUp(t.Context(), join, "f", "g")
		b.expect(t, "f", "g")
		for email, answer := range last {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}

// TestAWaitlistThatIsAwayIsEverybodysAnswer: retrying each sign-up of the batch would take as
// long once more.
func TestAWaitlistThatIsAwayIsEverybodysAnswer(t *testing.T) {
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
		b.broken = fault.New(fault.Unavailable, "database_unavailable", "Please try again.")
		answers := b.signUp(t.Context(), join, "a", "b", "c", "d")
		b.expect(t, "a", "b")
		b.expect(t, "c+d")
		for _, email := range []string{"c", "d"} {
			if err := <-answers[email]; fault.Of(err).Reason != "database_unavailable" {
				t.Errorf("%s got %v", email, err)
			}
		}
		if got := b.came(); len(got) > 0 {
			t.Errorf("further calls: %q", got)
		}
	})
}

// TestWhoAsksAgainHasWhatIsLeft: the batch and the retry have one timeout together.
func TestWhoAsksAgainHasWhatIsLeft(t *testing.T) {
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
		began := time.Now()
		answers := b.signUp(t.Context(), join, "a", "b", "bad c")
		<-time.After(500 * time.Millisecond)
		b.expect(t, "a", "b")
		<-time.After(300 * time.Millisecond)
		b.expect(t, "bad c") // its company is itself
		if err := <-answers["bad c"]; !errors.Is(err, fault.Unavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took >= time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestWhoLeavesIsNotSignedUp(t *testing.T) {
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
		_ = b.signUp(t.Context(), join, "a", "b")
		ctx, leave := context.WithCancel(t.Context())
		gone := b.signUp(ctx, join, "c")
		_ = b.signUp(t.Context(), join, "d")
		_ = b.came()
		leave()
		synctest.Wait()
		_ = b.came() // a last try with an ended context
		if err := <-gone["c"]; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		b.goOn <- struct{}{}
		b.goOn <- struct{}{}
		b.expect(t, "d")
	})
}

func TestASharedCallHasABound(t *testing.T) {
	inBurst(t, func(t *testing.T, b *burst, join func(context.Context, string) error) {
		emails := []string{"a", "b"}
		for n := range limits.SignUps + 2 {
			emails = append(emails, fmt.Sprintf("%03d", n))
		}
		answers := b.signUp(t.Context(), join, emails...)
		b.expect(t, "a", "b")
		last := 2 + limits.SignUps
		b.expect(t, strings.Join(emails[2:last], "+"), strings.Join(emails[last:], "+"))
		for email, answer := range answers {
			if err := <-answer; err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	})
}
