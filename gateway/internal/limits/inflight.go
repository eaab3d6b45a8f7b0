package limits

import (
	"net/netip"
	"sync"
	"time"

	"fledge.dev/services/platform/fault"
)

// InFlight caps the requests in progress, so that an overload is refused at once instead of
// queueing until every request is too late. It also caps those of each client, so that slow
// requests of one client do not take all places. Clients of IPv6 are told apart by their /64.
// Safe for concurrent use.
type InFlight struct {
	all, each int

	mu      sync.Mutex
	count   int
	clients map[netip.Addr]int // only those that have a place
}

// NewInFlight returns caps on the requests of all clients together and of each.
func NewInFlight(all, each int) *InFlight {
	return &InFlight{all: all, each: each, clients: map[netip.Addr]int{}}
}

// Enter takes a place, which Leave gives back. It fails with fault.RateLimited when the
// client is at its cap, and with fault.Unavailable when all clients together are.
func (f *InFlight) Enter(client netip.Addr) error {
	key := narrow(client)
	f.mu.Lock()
	defer f.mu.Unlock()
	its := f.clients[key]
	switch {
	case its >= f.each:
		return tooMany(time.Second)
	case f.count >= f.all:
		return fault.New(fault.Unavailable, "overloaded", "We are very busy right now. Please try again.").RetryAfter(time.Second)
	}
	f.clients[key] = its + 1
	f.count++
	return nil
}

// Leave gives back a place that Enter took for the client.
func (f *InFlight) Leave(client netip.Addr) {
	key := narrow(client)
	f.mu.Lock()
	defer f.mu.Unlock()
	if its := f.clients[key]; its > 1 {
		f.clients[key] = its - 1
	} else {
		delete(f.clients, key)
	}
	f.count--
}

// narrow tells clients apart as closely as PerClient does.
func narrow(client netip.Addr) netip.Addr { return network(client, widths[0].bits) }
