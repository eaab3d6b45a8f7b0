// Package loopback keeps the stand-ins on this machine: they sign anybody in,
// show everybody's mail and hand out programs, so nobody else may reach them.
package loopback

import (
	"fmt"
	"net"
	"net/netip"
)

// Require fails unless addr, "host:port", can be reached from this machine only.
// A name other than localhost is refused: what it resolves to may change.
func Require(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", addr, err)
	}
	if !IsHost(host) {
		return fmt.Errorf("refusing to listen on %q: a stand-in must stay on this machine", addr)
	}
	return nil
}

// IsHost reports whether host, without a port, names this machine's loopback.
func IsHost(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
