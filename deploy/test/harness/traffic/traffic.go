// Package traffic sends steady traffic to a running product and keeps a ledger of the
// answers: which requests failed, and whether everything that was acknowledged is there at
// the end. Pods may start, stop and be killed meanwhile.
//
// It sends a fixed number of requests a second regardless of the answers, so that a
// product that stalls does not get fewer. It retries nothing: every failure is one that a
// user would have seen.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"fledge.dev/deploy/local/person"
)

// Options says what to send, and where.
type Options struct {
	// Site is the origin, such as https://fledge.test.
	Site string
	// Mail is the mail stand-in's page; empty approves nobody.
	Mail string
	// Admin is the address of an admin, who signs in at the stand-in for Google.
	Admin string
	// Rate is in requests a second.
	Rate int
	// For is how long it lasts.
	For time.Duration
	// Mark begins the address of everybody who joins: another one for each run.
	Mark string
	// Transport carries the requests. Defaults to one with a connection for each
	// request under way.
	Transport http.RoundTripper
	// Progress is told every few seconds how it goes; nil tells nobody.
	Progress func(Report)
}

const (
	requestTimeout = 10 * time.Second
	renewEvery     = 3 * time.Minute // an access token lives ten
	progressEvery  = 5 * time.Second
	maxUnderWay    = 1000
	idleTimeout    = 90 * time.Second
)

// Run sends until the time is over or ctx ends, then looks whether everything that
// was acknowledged is there. The report is complete when the error is nil.
func Run(ctx context.Context, opts Options) (Report, error) {
	if opts.Transport == nil {
		opts.Transport = NewTransport("")
	}
	admin := person.NewThrough(opts.Site, opts.Transport)
	if err := admin.SignIn(ctx, opts.Admin); err != nil {
		return Report{}, fmt.Errorf("traffic: %w", err)
	}
	s := &sender{opts: opts, admin: admin, mix: newMix(opts), ledger: newLedger()}
	if err := s.send(ctx); err != nil {
		return s.ledger.report(), err
	}
	err := s.verify(context.WithoutCancel(ctx))
	return s.ledger.report(), err
}

type sender struct {
	opts   Options
	admin  *person.Person
	mix    *mix
	ledger *ledger
}

// send keeps the rate until the time is over, and waits for the last answers.
func (s *sender) send(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.For)
	defer cancel()
	tick := time.NewTicker(time.Second / time.Duration(s.opts.Rate))
	defer tick.Stop()
	renew := time.NewTicker(renewEvery)
	defer renew.Stop()
	tell := time.NewTicker(progressEvery)
	defer tell.Stop()
	slots := make(chan struct{}, maxUnderWay)
	var underWay sync.WaitGroup
	defer underWay.Wait()
	for {
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil
			}
			return ctx.Err()
		case <-tell.C:
			if s.opts.Progress != nil {
				s.opts.Progress(s.ledger.report())
			}
		case <-renew.C:
			underWay.Go(func() { s.do(ctx, request{name: "renew", run: renewal}) })
		case <-tick.C:
			next := s.mix.next(s.ledger)
			select {
			case slots <- struct{}{}:
				underWay.Go(func() { s.do(ctx, next); <-slots })
			default:
				s.ledger.failed(next.name, errors.New("not sent: too many wait for their answer"))
			}
		}
	}
}

// do sends one request, which may outlive the time of sending.
func (s *sender) do(ctx context.Context, r request) {
	if r.page != "" {
		s.load(ctx, r.page)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	began := time.Now()
	if err := r.run(ctx, s); err != nil {
		s.ledger.failed(r.name, err)
		return
	}
	s.ledger.answered(r.name, time.Since(began))
}

func renewal(ctx context.Context, s *sender) error { return s.admin.Renew(ctx) }
