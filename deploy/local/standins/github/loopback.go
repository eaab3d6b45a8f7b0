package github

import (
	"fmt"
	"net"
	"net/netip"
)

// requireLoopback accepts only addresses that other machines cannot reach.
// A name other than localhost is refused: what it resolves to may change.
func requireLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("github stand-in: listen address %q: %w", addr, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("github stand-in: refusing to listen on %q: what it serves as the app is made up and must stay on this machine", addr)
	}
	return nil
}
