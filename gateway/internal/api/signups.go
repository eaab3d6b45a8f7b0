package api

import (
	"context"
	"sync"
	"time"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/proto/limits"
)

const (
	// signUpCalls is how many calls are under way before sign-ups wait for company: one
	// whose statement runs, and one that is on its way meanwhile.
	signUpCalls = 2
	// signUpPatience is how long a sign-up waits for company and for what it brings: a
	// little longer than the waitlist takes for its slowest answer.
	signUpPatience = time.Second
)

// signUps has people who sign up while others' calls are under way share the next call.
// Who comes alone waits for nobody. Whom a shared call has not put on the list asks by
// itself, so that everybody gets an answer of their own, and a call that hangs holds
// nobody longer than signUpPatience.
type signUps struct {
	waitlist waitlistv1.WaitlistServiceClient

	mu      sync.Mutex
	calls   int
	waiting []*sharedSignUp
}

// sharedSignUp is one of those who wait; ctx ends with its patience.
type sharedSignUp struct {
	ctx     context.Context //nolint:containedctx // of a request that is served meanwhile
	request *waitlistv1.JoinRequest
	joined  chan bool
}

func (s *signUps) join(ctx context.Context, request *waitlistv1.JoinRequest) error {
	patient, cancel := context.WithTimeout(ctx, signUpPatience)
	defer cancel()
	mine := &sharedSignUp{patient, request, make(chan bool, 1)}
	if s.begin(mine) {
		defer s.end()
	} else if mine.wait() {
		return nil
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

// wait reports whether a shared call has put the address on the list.
func (w *sharedSignUp) wait() bool {
	select {
	case joined := <-w.joined:
		return joined
	case <-w.ctx.Done():
		return false
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(company[0].ctx), signUpPatience)
	defer cancel()
	all := &waitlistv1.JoinAllRequest{}
	for _, one := range company {
		all.Joins = append(all.Joins, one.request)
	}
	resp, err := s.waitlist.JoinAll(ctx, all)
	for i, one := range company {
		one.joined <- err == nil && len(resp.GetJoined()) == len(company) && resp.GetJoined()[i]
	}
}
