package limits

import (
	"net/netip"
	"sync"
	"time"

	"fledge.dev/services/platform/fault"
)

// InFlight caps the requests in progress, so that an overload is refused at once instead of
// queueing until every request is too late. It also caps those of each client, so that slow
// requests of one client do not take all places. Networks of IPv6 have caps as with PerClient:
// a /64 that of a client, wider ones multiples of it, but no more than a quarter of all places.
// Safe for concurrent use.
type InFlight struct {
	all, each int

	mu      sync.Mutex
	count   int
	clients map[netip.Prefix]int // only those that have a place
}

// NewInFlight returns caps on the requests of all clients together and of each.
func NewInFlight(all, each int) *InFlight {
	return &InFlight{all: all, each: each, clients: map[netip.Prefix]int{}}
}

// Enter takes a place, which Leave gives back. It fails with fault.RateLimited when the
// client, or a network of its, is at its cap, and with fault.Unavailable when all clients
// together are.
func (f *InFlight) Enter(client netip.Addr) error {
	networks := networksOf(client)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, n := range networks {
		limit := f.each
		if i > 0 {
			limit = max(f.each, min(f.each*widths[i].multiple, f.all/4))
		}
		if f.clients[n] >= limit {
			return tooMany(time.Second)
		}
	}
	if f.count >= f.all {
		return fault.New(fault.Unavailable, "overloaded", "We are very busy right now. Please try again.").RetryAfter(time.Second)
	}
	for _, n := range networks {
		f.clients[n]++
	}
	f.count++
	return nil
}

// Leave gives back a place that Enter took for the client.
func (f *InFlight) Leave(client netip.Addr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range networksOf(client) {
		if f.clients[n]--; f.clients[n] == 0 {
			delete(f.clients, n)
		}
	}
	f.count--
}
