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
	// share of everything is one client's.
	share = 8
	// subnet is what one client has of IPv6.
	subnet = 64
)

var (
	errClientFull = errors.New("too many bodies of one client")
	errFull       = errors.New("too many bodies")
)

// arrivals caps the bodies that are arriving, and the memory of those that arrived and are
// still needed: of all clients together, and of each, which has an eighth. Safe for concurrent use.
type arrivals struct {
	bodies, bytes int

	mu      sync.Mutex
	all     usage
	clients map[netip.Prefix]*usage // only those that have a place
}

type usage struct{ bodies, bytes int }

func newArrivals(bodies, bytes int) *arrivals {
	return &arrivals{bodies: bodies, bytes: bytes, clients: map[netip.Prefix]*usage{}}
}

// place is one body's.
type place struct {
	arrivals *arrivals
	client   netip.Prefix
	mine     *usage
	bytes    int
}

// enter takes a place for a body of the client, "" if it is not known. It fails with errFull or
// errClientFull; otherwise arrived and leave have to follow.
func (a *arrivals) enter(address string) (*place, error) {
	client := networkOf(address)
	a.mu.Lock()
	defer a.mu.Unlock()
	mine := a.clients[client]
	if mine == nil {
		mine = new(usage)
	}
	switch {
	case mine.bodies >= a.bodies/share:
		return nil, errClientFull
	case a.all.bodies >= a.bodies:
		return nil, errFull
	}
	a.clients[client] = mine
	mine.bodies++
	a.all.bodies++
	return &place{arrivals: a, client: client, mine: mine}, nil
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
	switch {
	case p.mine.bytes+more > a.bytes/share:
		return errClientFull
	case a.all.bytes+more > a.bytes:
		return errFull
	}
	p.add(usage{bytes: more})
	p.bytes += more
	return nil
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
	for _, each := range []*usage{p.mine, &p.arrivals.all} {
		each.bodies += u.bodies
		each.bytes += u.bytes
	}
	// A small body's place leaves without a use of its own: the client may have others by then.
	if *p.mine == (usage{}) && p.arrivals.clients[p.client] == p.mine {
		delete(p.arrivals.clients, p.client)
	}
}

func networkOf(address string) netip.Prefix {
	client, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	client = client.Unmap().WithZone("")
	bits := client.BitLen()
	if client.Is6() {
		bits = subnet
	}
	network, _ := client.Prefix(bits) // fails for lengths only that there are not
	return network
}
