// Package clientip says from which address a request comes: the one rule for it, which the front door, a module of its
// own, repeats (deploy/caddy/door/client.go). Both have the same tests.
//
// Each proxy appends to X-Forwarded-For whom it was called by. The list is read from its end, over all hops that are in
// trusted networks, to the first that is not: that one is the client. What is further left may be made up.
package clientip

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Networks are those of the proxies whose X-Forwarded-For is believed.
type Networks []netip.Prefix

// ParseNetworks reads networks such as 10.0.0.0/8. It refuses those that no client's address is in, and those of everybody,
// who could choose their address then.
func ParseNetworks(list []string) (Networks, error) {
	var networks Networks
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
		case network.Bits() == 0:
			return nil, fmt.Errorf("%q is everybody", text)
		case network.Addr().Is4In6():
			return nil, fmt.Errorf("%q is IPv4 inside IPv6, which is compared as IPv4", text)
		}
		networks = append(networks, network)
	}
	return networks, nil
}

// trusts reports whether the address is a proxy's.
func (n Networks) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(n, func(network netip.Prefix) bool { return network.Contains(address) })
}

// Client is whom the request comes from, the zero address if that is unknown. A hop that is no address ends the list: the proxy that named it is the client.
func (n Networks) Client(r *http.Request) netip.Addr {
	client, _ := parse(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !n.trusts(client) {
			break
		}
		address, ok := parse(strings.TrimSpace(hop))
		if !ok {
			break
		}
		client = address
	}
	return client
}

// translated is where the translators in front of a network of IPv6 alone put IPv4 (RFC 6052): all visitors by IPv4
// would be one /64.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// parse reads an address as proxies write it: with a port, in brackets, with a zone, or IPv4 inside IPv6. Neither
// port nor zone is the client's own.
func parse(hop string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(hop)
		if err != nil {
			return netip.Addr{}, false
		}
		address = withPort.Addr()
	}
	address = address.WithZone("")
	if translated.Contains(address) {
		all := address.As16()
		address = netip.AddrFrom4([4]byte(all[12:]))
	}
	return address.Unmap(), true
}
