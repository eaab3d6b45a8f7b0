package door

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// networks are those of the proxies whose X-Forwarded-For is believed.
type networks []netip.Prefix

func (n networks) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(n, func(network netip.Prefix) bool { return network.Contains(address) })
}

// client is whom the request comes from by the gateway's rule (gateway/internal/clientip), the zero address if that is unknown. Caddy's own reading passes
// over a hop that is no address, and takes what is left of it, which the client may have made up.
func (n networks) client(r *http.Request) netip.Addr {
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

// parse reads an address as proxies write it: with a port, in brackets, with a zone, or IPv4 inside IPv6.
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
