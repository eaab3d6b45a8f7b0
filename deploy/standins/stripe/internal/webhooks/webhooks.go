// Package webhooks delivers an account's events to an endpoint, signed as Stripe
// signs them (https://docs.stripe.com/webhooks), until it answers 2xx.
//
// By default it sends one event after the other, in order, each once. Policy makes it do
// what a receiver has to tolerate: other orders, copies, delays, losses.
package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// Which secrets sign a delivery.
const (
	SignNew  = "new"
	SignOld  = "old"
	SignBoth = "both" // as Stripe does while a secret is being rotated
)

// Policy is how events are delivered. The zero value sends each once and in order.
type Policy struct {
	// Held keeps everything back until another policy lets it go.
	Held bool `json:"held"`
	// Shuffled sends what waits in any order.
	Shuffled bool `json:"shuffled"`
	// Copies sends each event that many times at most, at random; 0 means once.
	Copies int `json:"copies"`
	// Drop is the share, from 0 to 1, of events that are never sent.
	Drop float64 `json:"drop"`
	// DelayMillis is the longest that a copy may wait before it is sent, at random.
	DelayMillis int `json:"delayMillis"`
	// Parallel is how many deliveries run at the same time; 0 means one.
	Parallel int `json:"parallel"`
	// Sign is SignNew, which is also what "" means, SignOld or SignBoth.
	Sign string `json:"sign"`
	// Seed makes the random choices repeatable.
	Seed uint64 `json:"seed"`
}

// Options configures New.
type Options struct {
	// URL takes the events; empty leaves them undelivered.
	URL string
	// Secret signs, OldSecret is the one before it.
	Secret, OldSecret string
	// Now is the time that is signed.
	Now func() time.Time
	// Retry are the pauses between attempts; the last one repeats forever.
	Retry []time.Duration
	// Acknowledged is told the id of an event that was answered 2xx, or dropped.
	Acknowledged func(id string)
}

// Sender delivers. Safe for concurrent use.
type Sender struct {
	opts   Options
	client *http.Client
	ctx    context.Context
	stop   context.CancelFunc
	sends  sync.WaitGroup

	mu      sync.Mutex
	policy  Policy
	random  *rand.Rand
	ready   []*delivery
	busy    int // being sent
	waiting int // for their delay or their next attempt
	stats   Stats
}

// Stats counts since the start.
type Stats struct {
	// Pending deliveries are not acknowledged yet; Sent were answered, Delivered of
	// them with 2xx; Dropped were never sent.
	Pending   int `json:"pending"`
	Sent      int `json:"sent"`
	Delivered int `json:"delivered"`
	Dropped   int `json:"dropped"`
}

type delivery struct {
	event    *account.Event
	attempts int
}

// sendTimeout is how long an endpoint may take to answer.
const sendTimeout = 10 * time.Second

// New returns a sender; Close ends it.
func New(opts Options) *Sender {
	ctx, stop := context.WithCancel(context.Background())
	return &Sender{
		opts: opts, ctx: ctx, stop: stop, random: rand.New(rand.NewPCG(0, 0)),
		client: &http.Client{Timeout: sendTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
}

// Send takes events for delivery and returns at once.
func (s *Sender) Send(events []*account.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, event := range events {
		if s.policy.Drop > 0 && s.random.Float64() < s.policy.Drop {
			s.stats.Dropped++
			go s.opts.Acknowledged(event.ID) // the account may be holding its lock
			continue
		}
		for range 1 + s.random.IntN(max(s.policy.Copies, 1)) {
			d := &delivery{event: event}
			if s.policy.DelayMillis > 0 {
				s.later(d, time.Duration(s.random.IntN(s.policy.DelayMillis))*time.Millisecond)
			} else {
				s.ready = append(s.ready, d)
			}
		}
	}
	s.pump()
}

// SetPolicy changes how events are delivered from now on, also those that wait.
func (s *Sender) SetPolicy(p Policy) error {
	switch p.Sign {
	case "", SignNew, SignOld, SignBoth:
	default:
		return fmt.Errorf("sign is %q: it may be %s, %s or %s", p.Sign, SignNew, SignOld, SignBoth)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.policy = p
	s.random = rand.New(rand.NewPCG(p.Seed, p.Seed))
	s.pump()
	return nil
}

// Stats returns the counters.
func (s *Sender) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Pending = len(s.ready) + s.busy + s.waiting
	return stats
}

// Close gives up what is under way and returns when it has ended.
func (s *Sender) Close() {
	s.mu.Lock()
	s.stop() // from now on nothing is begun
	s.mu.Unlock()
	s.sends.Wait()
	s.client.CloseIdleConnections()
}

// later needs the lock.
func (s *Sender) later(d *delivery, pause time.Duration) {
	s.waiting++
	time.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting--
		s.ready = append(s.ready, d)
		s.pump()
	})
}

// pump starts what may be sent. It needs the lock.
func (s *Sender) pump() {
	for len(s.ready) > 0 && s.opts.URL != "" && !s.policy.Held && s.busy < max(s.policy.Parallel, 1) && s.ctx.Err() == nil {
		i := 0
		if s.policy.Shuffled {
			i = s.random.IntN(len(s.ready))
		}
		d := s.ready[i]
		s.ready = append(s.ready[:i], s.ready[i+1:]...)
		s.busy++
		sign := s.policy.Sign
		s.sends.Go(func() { s.deliver(d, sign) })
	}
}

func (s *Sender) deliver(d *delivery, sign string) {
	answered, accepted := s.post(d.event, sign)
	if accepted {
		s.opts.Acknowledged(d.event.ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	if answered {
		s.stats.Sent++
	}
	if accepted {
		s.stats.Delivered++
	} else if s.ctx.Err() == nil {
		d.attempts++
		s.later(d, s.opts.Retry[min(d.attempts, len(s.opts.Retry))-1])
	}
	s.pump()
}

func (s *Sender) post(event *account.Event, sign string) (answered, accepted bool) {
	body, err := json.MarshalIndent(event.Encode(), "", "  ")
	if err != nil {
		panic(err) // events are made of strings, numbers, lists and maps
	}
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.opts.URL, bytes.NewReader(body))
	if err != nil {
		return false, false
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
	request.Header.Set("Stripe-Signature", s.signature(body, sign))
	response, err := s.client.Do(request)
	if err != nil {
		return false, false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // so that the connection can be used again
	return true, response.StatusCode/100 == 2
}
