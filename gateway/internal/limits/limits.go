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

// Level is how full a bucket is.
type Level struct {
	Rate
	// Left is how many requests the bucket holds, Full when it will be full again.
	Left int
	Full time.Duration
}

// Window is how long an empty bucket takes to fill.
func (r Rate) Window() time.Duration {
	return time.Duration(float64(r.Burst) / r.PerMinute * float64(time.Minute))
}

// widths are the networks of IPv6 that share a bucket, the narrowest first, and the multiple of the rate that each has.
// A device has a /64, most homes a /56, a company or a part of a mobile network a /48.
var widths = []struct {
	bits     int
	multiple int
}{{64, 1}, {56, 4}, {48, 16}}

// PerClient is a token bucket for each client address of IPv4, and one for each network of IPv6: clients of one /64
// have the rate together, those of wider networks multiples of it. Safe for concurrent use.
type PerClient struct {
	buckets []*Buckets[netip.Prefix] // by widths
	clock   clock.Clock
}

// NewPerClient returns buckets that are full.
func NewPerClient(r Rate, c clock.Clock) *PerClient {
	p := &PerClient{clock: c}
	for _, w := range widths {
		multiple := Rate{PerMinute: r.PerMinute * float64(w.multiple), Burst: r.Burst * w.multiple}
		p.buckets = append(p.buckets, NewBuckets[netip.Prefix](multiple, c))
	}
	return p
}

// Take takes a token from each of the client's buckets, or from none. It fails like Buckets.Take, and returns the
// level of the bucket that refuses, or of the narrowest one.
func (p *PerClient) Take(client netip.Addr) (Level, error) {
	now := p.clock.Now()
	var taken []*rate.Reservation
	var level Level
	for i, network := range networksOf(client) {
		b := p.buckets[i]
		bucket := b.bucket(network)
		reservation, err := b.reserve(bucket, now)
		if err != nil {
			for _, r := range taken {
				r.CancelAt(now)
			}
			return b.level(bucket, now), err
		}
		taken = append(taken, reservation)
		if i == 0 {
			level = b.level(bucket, now)
		}
	}
	return level, nil
}

// Buckets is a token bucket for each key. Safe for concurrent use.
type Buckets[K comparable] struct {
	rate  Rate
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
	return &Buckets[K]{rate: r, clock: c, buckets: buckets}
}

// Take takes a token from the key's bucket, and returns its level. From an empty one it fails with
// fault.RateLimited, which says when the next token comes.
func (p *Buckets[K]) Take(key K) (Level, error) {
	now := p.clock.Now()
	bucket := p.bucket(key)
	_, err := p.reserve(bucket, now)
	return p.level(bucket, now), err
}

func (p *Buckets[K]) reserve(bucket *rate.Limiter, now time.Time) (*rate.Reservation, error) {
	reservation := bucket.ReserveN(now, 1)
	if !reservation.OK() {
		return nil, tooMany(time.Minute)
	}
	if wait := reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
		return nil, tooMany(wait)
	}
	return reservation, nil
}

func (p *Buckets[K]) level(bucket *rate.Limiter, now time.Time) Level {
	tokens := max(0, bucket.TokensAt(now))
	missing := (float64(p.rate.Burst) - tokens) / p.rate.PerMinute
	return Level{Rate: p.rate, Left: int(tokens), Full: time.Duration(missing * float64(time.Minute))}
}

func (p *Buckets[K]) bucket(key K) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.buckets.Get(key); ok {
		return b
	}
	b := rate.NewLimiter(rate.Limit(p.rate.PerMinute/60), p.rate.Burst)
	p.buckets.Add(key, b)
	return b
}

// networksOf are the client's address of IPv4, or its networks of IPv6 by widths. Clients without
// an address share one.
func networksOf(client netip.Addr) []netip.Prefix {
	client = client.Unmap().WithZone("")
	if !client.Is6() {
		return []netip.Prefix{netip.PrefixFrom(client, client.BitLen())}
	}
	networks := make([]netip.Prefix, len(widths))
	for i, w := range widths {
		networks[i] = netip.PrefixFrom(client, w.bits).Masked()
	}
	return networks
}

func tooMany(wait time.Duration) error {
	return fault.New(fault.RateLimited, "rate_limited", "Too many requests. Please wait a moment and try again.").RetryAfter(wait)
}
