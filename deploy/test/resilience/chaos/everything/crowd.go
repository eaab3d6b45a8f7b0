package everything

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/procs"
)

// kind is something that people do.
type kind string

const (
	join    kind = "join the waitlist"
	approve kind = "approve"
	ticket  kind = "open a ticket"
	spend   kind = "spend credits"
	signIn  kind = "sign in"
	renew   kind = "renew a session"
	rotate  kind = "rotate a token"
	read    kind = "read"
)

// deck is dealt in this order, again and again.
var deck = []kind{
	join, read, spend, join, ticket, renew, join, approve, spend, read, join, rotate, spend, join, read, approve, join, renew, spend, signIn,
}

const (
	maxUnderWay = 256
	tryFor      = 6 * time.Second // somebody repeats what may be repeated
	tryAgain    = 200 * time.Millisecond
	oneTry      = 10 * time.Second
)

// crowd sends a steady number of requests, whatever becomes of them, and keeps a ledger
// of what was tried and one of what was acknowledged, for each kind.
type crowd struct {
	site    string
	admin   *person.Person
	buyers  []*person.Person
	devices []*device

	mu              sync.Mutex
	dealt           int
	tried, acked    map[kind]*procs.Ledger
	waiting         []string // joined, not approved
	answers         []time.Duration
	refused, silent int
	wrong           []string // answers that no fault excuses
}

func newCrowd(site string) *crowd {
	c := &crowd{site: site, tried: map[kind]*procs.Ledger{}, acked: map[kind]*procs.Ledger{}}
	for _, k := range deck {
		c.tried[k], c.acked[k] = procs.NewLedger(), procs.NewLedger()
	}
	return c
}

// writes counts the acknowledged ones that need a database alone.
func (c *crowd) writes() int {
	return c.acked[join].Len() + c.acked[spend].Len() + c.acked[ticket].Len()
}

// run sends rate requests a second until ctx ends, and waits for the last answers.
func (c *crowd) run(ctx context.Context, rate int) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	slots := make(chan struct{}, maxUnderWay)
	var underWay sync.WaitGroup
	defer underWay.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case slots <- struct{}{}:
			n := c.dealt
			c.dealt++
			underWay.Go(func() { c.do(context.WithoutCancel(ctx), deck[n%len(deck)], n); <-slots })
		default: // everybody waits for an answer
		}
	}
}

// do does one thing, and repeats it while the outcome is unknown, if it may be repeated.
func (c *crowd) do(ctx context.Context, k kind, n int) {
	key := fmt.Sprintf("%d", n)
	var try func(ctx context.Context) error
	repeat := false
	buyer := c.buyers[n%len(c.buyers)]
	switch k {
	case join:
		key = fmt.Sprintf("everybody-%d@fledge.test", n)
		body := map[string]string{"email": key, "source": "hero_section"}
		try = func(ctx context.Context) error {
			return person.New(c.site).Call(ctx, http.MethodPost, "/api/add-waitlist-user", body, nil)
		}
	case approve:
		if key = c.toApprove(); key == "" {
			return
		}
		try = func(ctx context.Context) error { return c.admin.Approve(ctx, key) }
	case ticket:
		body := map[string]any{"category": "bug", "message": "It broke at " + key, "subject": key, "idempotencyKey": key}
		repeat, try = true, func(ctx context.Context) error {
			return buyer.Call(ctx, http.MethodPost, "/api/create-support-ticket", body, nil)
		}
	case spend:
		body := map[string]any{"amount": 0.01, "description": "Generated screen", "idempotencyKey": key}
		repeat, try = true, func(ctx context.Context) error {
			return buyer.Call(ctx, http.MethodPost, "/api/consume-credits", body, nil)
		}
	case signIn:
		key = fmt.Sprintf("newcomer-%d@fledge.test", n)
		try = func(ctx context.Context) error { return person.New(c.site).SignIn(ctx, key) }
	case renew:
		whose := append(slices.Clone(c.buyers), c.admin)[n%(len(c.buyers)+1)]
		try = whose.Renew
	case rotate:
		try = func(ctx context.Context) error { return c.devices[n%len(c.devices)].rotate(ctx) }
	default:
		path := []string{"/api/get-latest-downloads", "/api/get-plans", "/api/get-credit-balance"}[n%3]
		try = func(ctx context.Context) error { return buyer.Call(ctx, http.MethodGet, path, nil, nil) }
	}
	c.tried[k].Acknowledged(key)
	if c.attempt(ctx, k, try, repeat) {
		c.acked[k].Acknowledged(key)
		if k == join {
			c.mu.Lock()
			c.waiting = append(c.waiting, key)
			c.mu.Unlock()
		}
	}
}

func (c *crowd) attempt(ctx context.Context, k kind, try func(context.Context) error, repeat bool) bool {
	began := time.Now()
	for {
		at := time.Now()
		once, cancel := context.WithTimeout(ctx, oneTry)
		err := try(once)
		cancel()
		final := c.note(k, err, time.Since(at))
		if err == nil || final || !repeat || time.Since(began) > tryFor {
			return err == nil
		}
		if wait(ctx, tryAgain) != nil {
			return false
		}
	}
}

// note counts an answer. It is final when another try would get the same.
func (c *crowd) note(k kind, err error, took time.Duration) (final bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var answer *person.APIError
	switch {
	case err == nil:
		c.answers = append(c.answers, took)
		return true
	case !errors.As(err, &answer):
		c.silent++
		return false
	case slices.Contains([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, answer.Status):
		c.refused++
		return false
	}
	c.wrong = append(c.wrong, fmt.Sprintf("%s: %v", k, err))
	return answer.Status < http.StatusInternalServerError
}

func (c *crowd) toApprove() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return ""
	}
	email := c.waiting[0]
	c.waiting = c.waiting[1:]
	return email
}
