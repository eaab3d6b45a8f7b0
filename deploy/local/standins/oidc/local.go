package oidc

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
)

// requireLoopback accepts only addresses that other machines cannot reach.
// A name other than localhost is refused: what it resolves to may change.
func requireLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("oidc stand-in: listen address %q: %w", addr, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("oidc stand-in: refusing to listen on %q: it signs anybody in as anybody and must stay on this machine", addr)
	}
	return nil
}

// requireLocalOrigin accepts only a bare http origin on this machine.
func requireLocalOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return fmt.Errorf("oidc stand-in: site origin: %w", err)
	}
	bare := u.User == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
	if u.Scheme != "http" || !bare || !isLoopback(u.Hostname()) {
		return fmt.Errorf("oidc stand-in: refusing site origin %q: people may only be sent back to this machine, such as http://localhost:8080", origin)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
