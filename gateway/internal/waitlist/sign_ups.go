package waitlist

import (
	"context"
	"sync"
	"time"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/proto/limits"
	"fledge.dev/services/platform/fault"
)

const (
	// signUpCalls is how many calls may be in progress before sign-ups are batched: one whose
	// statement runs, and one that is on its way meanwhile.
	signUpCalls = 2
)

// signUps batches the sign-ups that arrive while signUpCalls calls are in progress. A
// sign-up that the batch has not put on the list retries alone, so that everybody gets an
// answer of their own, unless the waitlist is unavailable: then that is everybody's answer.
// A call that hangs holds its place, and those who wait for it, no longer than timeout.
type signUps struct {
	waitlist waitlistv1.WaitlistServiceClient
	timeout  time.Duration

	mu      sync.Mutex
	calls   int
	waiting []*batchedSignUp
}

// batchedSignUp waits for a batch; ctx ends with its timeout.
type batchedSignUp struct {
	ctx     context.Context // of a request that is served meanwhile
	request *waitlistv1.JoinRequest
	outcome chan outcome
}

// outcome is what the batch means for one of its sign-ups; err says why the waitlist is
// unavailable.
type outcome struct {
	joined bool
	err    error
}

func (s *signUps) join(ctx context.Context, request *waitlistv1.JoinRequest) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	mine := &batchedSignUp{ctx, request, make(chan outcome, 1)}
	if s.begin(mine) {
		defer s.end()
	} else if batched := mine.wait(); batched.joined || batched.err != nil {
		return batched.err
	}
	_, err := s.waitlist.Join(ctx, request)
	return err
}

// begin reports whether there is a place for a call; if not, mine waits for a batch.
func (s *signUps) begin(mine *batchedSignUp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == signUpCalls {
		s.waiting = append(s.waiting, mine)
		return false
	}
	s.calls++
	return true
}

// wait returns the outcome of the batch, or a timeout.
func (b *batchedSignUp) wait() outcome {
	select {
	case batched := <-b.outcome:
		return batched
	case <-b.ctx.Done():
		return outcome{err: fault.Of(b.ctx.Err())}
	}
}

// end gives the place of a call to the next batch, or back.
func (s *signUps) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var batch []*batchedSignUp
	for len(s.waiting) > 0 && len(batch) < limits.SignUps {
		next := s.waiting[0]
		if s.waiting = s.waiting[1:]; next.ctx.Err() == nil {
			batch = append(batch, next)
		}
	}
	if len(batch) == 0 {
		s.calls--
		return
	}
	go s.call(batch)
}

// call joins a batch, with the trace and the request id of its first sign-up.
func (s *signUps) call(batch []*batchedSignUp) {
	defer s.end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(batch[0].ctx), s.timeout)
	defer cancel()
	all := &waitlistv1.JoinAllRequest{}
	for _, one := range batch {
		all.Joins = append(all.Joins, one.request)
	}
	resp, err := s.waitlist.JoinAll(ctx, all)
	var unavailable error
	if f := fault.Of(err); f != nil && f.Kind == fault.Unavailable {
		unavailable = f
	}
	for i, one := range batch {
		joined := err == nil && len(resp.GetJoined()) == len(batch) && resp.GetJoined()[i]
		one.outcome <- outcome{joined, unavailable}
	}
}
