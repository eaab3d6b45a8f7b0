package api

import (
	"context"
	"sync"
	"time"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/proto/limits"
	"fledge.dev/services/platform/fault"
)

const (
	// signUpCalls is how many calls are under way before sign-ups wait for company: one
	// whose statement runs, and one that is on its way meanwhile.
	signUpCalls = 2
	// signUpPatience is how long a sign-up that shares a call takes in all, whatever becomes
	// of that: a little longer than the waitlist takes for its slowest answer, and within
	// the second in which everybody is told.
	signUpPatience = 900 * time.Millisecond
)

// signUps has people who sign up while others' calls are under way share the next call.
// Who comes alone waits for nobody. Whom a shared call has not put on the list asks by
// itself, so that everybody gets an answer of their own, unless the waitlist is away: that
// is everybody's answer. A call that hangs holds nobody longer than their patience.
type signUps struct {
	waitlist waitlistv1.WaitlistServiceClient
	patience time.Duration

	mu      sync.Mutex
	calls   int
	waiting []*sharedSignUp
}

// sharedSignUp is one of those who wait; ctx ends with its patience.
type sharedSignUp struct {
	ctx     context.Context // of a request that is served meanwhile
	request *waitlistv1.JoinRequest
	outcome chan outcome
}

// outcome is what a shared call says of one of those who share it; err is why the
// waitlist is away.
type outcome struct {
	joined bool
	err    error
}

func (s *signUps) join(ctx context.Context, request *waitlistv1.JoinRequest) error {
	patient, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	mine := &sharedSignUp{patient, request, make(chan outcome, 1)}
	if s.begin(mine) {
		defer s.end()
	} else {
		if shared := mine.wait(); shared.joined || shared.err != nil {
			return shared.err
		}
		ctx = patient
	}
	_, err := s.waitlist.Join(ctx, request)
	return err
}

// begin reports whether there is a place for a call; if not, mine is among those who wait.
func (s *signUps) begin(mine *sharedSignUp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == signUpCalls {
		s.waiting = append(s.waiting, mine)
		return false
	}
	s.calls++
	return true
}

// wait returns what the shared call has brought, if it comes in time.
func (w *sharedSignUp) wait() outcome {
	select {
	case shared := <-w.outcome:
		return shared
	case <-w.ctx.Done():
		return outcome{err: fault.Of(w.ctx.Err())}
	}
}

// end hands the place of a call to those who wait, or back.
func (s *signUps) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var company []*sharedSignUp
	for len(s.waiting) > 0 && len(company) < limits.SignUps {
		next := s.waiting[0]
		if s.waiting = s.waiting[1:]; next.ctx.Err() == nil {
			company = append(company, next)
		}
	}
	if len(company) == 0 {
		s.calls--
		return
	}
	go s.call(company)
}

// call has the trace and the id of the first's request.
func (s *signUps) call(company []*sharedSignUp) {
	defer s.end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(company[0].ctx), s.patience)
	defer cancel()
	all := &waitlistv1.JoinAllRequest{}
	for _, one := range company {
		all.Joins = append(all.Joins, one.request)
	}
	resp, err := s.waitlist.JoinAll(ctx, all)
	var away error
	if f := fault.Of(err); f != nil && f.Kind == fault.Unavailable {
		away = f
	}
	for i, one := range company {
		joined := err == nil && len(resp.GetJoined()) == len(company) && resp.GetJoined()[i]
		one.outcome <- outcome{joined, away}
	}
}
