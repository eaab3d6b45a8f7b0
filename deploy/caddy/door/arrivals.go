package door

import (
	"errors"
	"net/netip"
	"sync"
)

const (
	// freeBytes of a body do not count, so that ordinary ones come through while others hold
	// all of the memory.
	freeBytes = 4 << 10
	// One client has a 64th of the places and an eighth of the memory. Ordinary bodies leave their places within
	// milliseconds, but keep their memory until they are answered.
	shareOfBodies, shareOfBytes = 64, 8
	// No network has more than a quarter of everything.
	shareOfNetwork = 4
)

// widths are the networks of IPv6 that have caps, the narrowest first, and the multiple of a client's share that each
// has. They are those of the gateway's limits: a device has a /64, most homes a /56, a company or a part of a
// mobile network a /48.
var widths = []struct{ bits, multiple int }{{64, 1}, {56, 4}, {48, 16}}

var (
	errClientFull = errors.New("too many bodies of one client")
	errFull       = errors.New("too many bodies")
)

// arrivals caps the bodies that are arriving, and the memory of those that arrived and are
// still needed: of all clients together, of each, and of each network of IPv6. Safe for concurrent use.
type arrivals struct {
	bodies, bytes int

	mu       sync.Mutex
	all      usage
	networks map[netip.Prefix]usage // only those that have a place
}

type usage struct{ bodies, bytes int }

func newArrivals(bodies, bytes int) *arrivals {
	return &arrivals{bodies: bodies, bytes: bytes, networks: map[netip.Prefix]usage{}}
}

// place is one body's.
type place struct {
	arrivals *arrivals
	networks []netip.Prefix
	bytes    int
}

// enter takes a place for a body of the client, the zero address if it is not known. It fails with errFull or
// errClientFull; otherwise arrived and leave have to follow.
func (a *arrivals) enter(client netip.Addr) (*place, error) {
	p := &place{arrivals: a, networks: networksOf(client)}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, n := range p.networks {
		if a.networks[n].bodies >= most(a.bodies, shareOfBodies, i) {
			return nil, errClientFull
		}
	}
	if a.all.bodies >= a.bodies {
		return nil, errFull
	}
	p.add(usage{bodies: 1})
	return p, nil
}

// grow takes the memory of a body that is to have a size. It fails as enter does.
func (p *place) grow(size int) error {
	more := max(0, size-freeBytes) - p.bytes
	if more <= 0 {
		return nil
	}
	a := p.arrivals
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, n := range p.networks {
		if a.networks[n].bytes+more > most(a.bytes, shareOfBytes, i) {
			return errClientFull
		}
	}
	if a.all.bytes+more > a.bytes {
		return errFull
	}
	p.add(usage{bytes: more})
	p.bytes += more
	return nil
}

// most is what the network at an index of networksOf may have of everything.
func most(all, share, i int) int {
	each := all / share
	if i == 0 {
		return each
	}
	return max(each, min(each*widths[i].multiple, all/shareOfNetwork))
}

// arrived keeps the memory alone.
func (p *place) arrived() {
	p.arrivals.mu.Lock()
	defer p.arrivals.mu.Unlock()
	p.add(usage{bodies: -1})
}

// leave gives the memory back, after arrived.
func (p *place) leave() {
	p.arrivals.mu.Lock()
	defer p.arrivals.mu.Unlock()
	p.add(usage{bytes: -p.bytes})
}

func (p *place) add(u usage) {
	a := p.arrivals
	a.all = a.all.plus(u)
	for _, n := range p.networks {
		if now := a.networks[n].plus(u); now != (usage{}) {
			a.networks[n] = now
		} else {
			delete(a.networks, n)
		}
	}
}

func (u usage) plus(more usage) usage {
	return usage{bodies: u.bodies + more.bodies, bytes: u.bytes + more.bytes}
}

// networksOf are the client's address of IPv4, or its networks of IPv6 by widths. Clients without an address share one.
func networksOf(client netip.Addr) []netip.Prefix {
	if !client.Is6() {
		return []netip.Prefix{netip.PrefixFrom(client, client.BitLen())}
	}
	of := make([]netip.Prefix, len(widths))
	for i, w := range widths {
		of[i] = netip.PrefixFrom(client, w.bits).Masked()
	}
	return of
}
