package limits

import (
	"net/netip"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
)

// Busiest tells which part of the requests the busiest client makes. Where it is most, all visitors probably have the
// address of a proxy. Clients of IPv6 are told apart by their /64. Safe for concurrent use.
type Busiest struct {
	clock clock.Clock

	mu      sync.Mutex
	minute  time.Time
	clients map[netip.Prefix]int
	all     int
	most    int
	last    float64 // the part in the minute before
}

// NewBusiest returns one that has counted nothing.
func NewBusiest(c clock.Clock) *Busiest {
	return &Busiest{clock: c, minute: c.Now().Truncate(time.Minute), clients: map[netip.Prefix]int{}}
}

// Count counts a request. The first maxClients clients of a minute are told apart, which are not all, but among which
// are those that make many requests.
func (b *Busiest) Count(client netip.Addr) {
	key := networksOf(client)[0]
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	b.all++
	if its := b.clients[key]; its > 0 || len(b.clients) < maxClients {
		b.clients[key] = its + 1
		b.most = max(b.most, its+1)
	}
}

// Part is the busiest client's part of the requests of the last whole minute, from 0 to 1.
func (b *Busiest) Part() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	return b.last
}

// turn begins a new minute, if it is time.
func (b *Busiest) turn() {
	minute := b.clock.Now().Truncate(time.Minute)
	if minute.Equal(b.minute) {
		return
	}
	b.last = 0
	if b.all > 0 && minute.Sub(b.minute) == time.Minute {
		b.last = float64(b.most) / float64(b.all)
	}
	b.minute, b.all, b.most = minute, 0, 0
	clear(b.clients)
}
