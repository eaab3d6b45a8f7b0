// Package limits keeps one client from taking everybody's share, by a token bucket for each
// client address or account, and caps on the requests in progress.
//
// The rates are settings (package gateway, Config). The buckets are this process's own. With n gateway replicas behind a balancer
// a client gets up to n times the rate.
package limits

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// maxClients bounds the memory of Buckets to a few MiB. Past it, the client
// seen longest ago is forgotten and starts again with a full bucket.
const maxClients = 16_384

// Rate is how fast a client may go.
type Rate struct {
	// PerMinute is how many requests a bucket regains each minute.
	PerMinute float64
	// Burst is how many requests a full bucket holds.
	Burst int
}

// PerClient is a token bucket for each client address. IPv6 clients of one /64 network, the
// least that a household gets, share a bucket. Safe for concurrent use.
type PerClient struct{ buckets *Buckets[netip.Addr] }

// NewPerClient returns buckets that are full.
func NewPerClient(r Rate, c clock.Clock) *PerClient {
	return &PerClient{NewBuckets[netip.Addr](r, c)}
}

// Take takes a token from the client's bucket, like Buckets.Take.
func (p *PerClient) Take(client netip.Addr) error { return p.buckets.Take(network(client)) }

// Buckets is a token bucket for each key. Safe for concurrent use.
type Buckets[K comparable] struct {
	limit rate.Limit
	burst int
	clock clock.Clock

	mu      sync.Mutex
	buckets *simplelru.LRU[K, *rate.Limiter]
}

// NewBuckets returns buckets that are full.
func NewBuckets[K comparable](r Rate, c clock.Clock) *Buckets[K] {
	buckets, err := simplelru.NewLRU[K, *rate.Limiter](maxClients, nil)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &Buckets[K]{limit: rate.Limit(r.PerMinute / 60), burst: r.Burst, clock: c, buckets: buckets}
}

// Take takes a token from the key's bucket. From an empty one it fails with
// fault.RateLimited, which says when the next token comes.
func (p *Buckets[K]) Take(key K) error {
	now := p.clock.Now()
	reservation := p.bucket(key).ReserveN(now, 1)
	if !reservation.OK() {
		return tooMany(time.Minute)
	}
	if wait := reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
		return tooMany(wait)
	}
	return nil
}

func (p *Buckets[K]) bucket(key K) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.buckets.Get(key); ok {
		return b
	}
	b := rate.NewLimiter(p.limit, p.burst)
	p.buckets.Add(key, b)
	return b
}

func network(client netip.Addr) netip.Addr {
	client = client.Unmap().WithZone("")
	if client.Is4() {
		return client
	}
	prefix, err := client.Prefix(64)
	if err != nil {
		return client // the zero address: clients without one share a bucket
	}
	return prefix.Addr()
}

func tooMany(wait time.Duration) error {
	return fault.New(fault.RateLimited, "rate_limited", "Too many requests. Please wait a moment and try again.").RetryAfter(wait)
}
