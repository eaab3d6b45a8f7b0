// Package load is the generator of load: it sends the requests of a mix to a running
// product, at a rate whatever comes back or as many as are answered, and counts what comes
// back. A ledger keeps what was acknowledged, for a look afterwards.
package load

import (
	"context"
	"sync"
	"time"
)

// Request is one of a mix.
type Request struct {
	// Name is the kind that it is counted as.
	Name string
	// Key, unless empty, is what must be found afterwards if the product said yes.
	Key string
	Do  func(ctx context.Context) error
	// RepeatFor is how long it is tried again while its outcome is unknown, as somebody may
	// who sends an idempotency key.
	RepeatFor time.Duration
}

// Mix deals the n-th request there ever was.
type Mix func(n int) Request

// Deck deals from these in turn, so that every second is like the other.
func Deck(of ...Mix) Mix { return func(n int) Request { return of[n%len(of)](n) } }

const (
	defaultTimeout = 10 * time.Second
	pause          = 200 * time.Millisecond // before another try
	tick           = 2 * time.Millisecond
	tellEvery      = 5 * time.Second
)

// Generator sends what a mix deals. It goes on where its last run ended.
type Generator struct {
	Mix    Mix
	Ledger *Ledger
	// Timeout is how long somebody waits for an answer, by default ten seconds.
	Timeout time.Duration
	// Tell is told every few seconds how it goes; nil is told nothing.
	Tell func(Sample)

	dealt int
}

// Run sends rate requests a second until ctx ends, and waits for the last answers. Of
// requests at most atOnce are under way: what is due meanwhile is skipped, and not made up
// for later. With rate 0 each of atOnce senders goes on when it has its answer.
func (g *Generator) Run(ctx context.Context, name string, rate float64, atOnce int) Sample {
	if g.Timeout == 0 {
		g.Timeout = defaultTimeout
	}
	t, slots := newResults(), make(chan struct{}, atOnce)
	var underWay sync.WaitGroup
	send := func() {
		r := g.Mix(g.dealt)
		g.dealt++
		underWay.Go(func() { g.do(context.WithoutCancel(ctx), r, t); <-slots })
	}
	began := time.Now()
	pace, tell := time.NewTicker(tick), time.NewTicker(tellEvery)
	defer pace.Stop()
	defer tell.Stop()
	for due, last := 0, began; ctx.Err() == nil; {
		t.stood, last = max(t.stood, time.Since(last)), time.Now()
		if rate == 0 {
			select {
			case slots <- struct{}{}:
				send()
			case <-ctx.Done():
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-tell.C:
			if g.Tell != nil {
				g.Tell(t.sample(name, rate, time.Since(began)))
			}
		case <-pace.C:
			for ; due < int(rate*time.Since(began).Seconds()); due++ {
				select {
				case slots <- struct{}{}:
					send()
				default:
					t.skipped++
				}
			}
		}
	}
	took := time.Since(began)
	underWay.Wait()
	return t.sample(name, rate, took)
}

// do sends one request, which may outlive the time of sending.
func (g *Generator) do(ctx context.Context, r Request, t *results) {
	g.Ledger.note(g.Ledger.tried, r)
	for began := time.Now(); ; {
		at := time.Now()
		once, cancel := context.WithTimeout(ctx, g.Timeout)
		err := r.Do(once)
		cancel()
		t.add(r.Name, err, time.Since(at))
		if err == nil {
			g.Ledger.note(g.Ledger.acked, r)
		}
		if Final(err) || time.Since(began) >= r.RepeatFor {
			return
		}
		<-time.After(pause)
	}
}
