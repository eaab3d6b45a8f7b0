package smtp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
)

// requireLoopback accepts only addresses that other machines cannot reach.
// A name other than localhost is refused: what it resolves to may change.
func requireLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("smtp stand-in: listen address %q: %w", addr, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("smtp stand-in: refusing to listen on %q: it shows everybody's mail and must stay on this machine", addr)
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

// localHost refuses requests that reached the loopback listener under a
// foreign name, which is how a web page reads local servers (DNS rebinding).
func localHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !isLoopback(host) {
			http.Error(w, "This page answers to localhost only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
