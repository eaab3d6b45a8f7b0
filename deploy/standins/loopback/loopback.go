// Package loopback serves the stand-ins, to this machine or a test cluster alone: they
// sign in anybody, show everybody's mail and serve programs, so no stranger may reach
// them.
package loopback

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"fledge.dev/services/platform/hostname"
)

// Listen listens on addr, "host:port", which has to be a loopback address. In a test
// cluster, where other pods need access, any address is allowed: network policies
// restrict it.
func Listen(ctx context.Context, addr string, inCluster bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", addr, err)
	}
	if !inCluster && !hostname.IsLoopback(host) {
		return nil, fmt.Errorf("refusing to listen on %q: a stand-in must stay on this machine", addr)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", addr)
}

// URL is the address under which a listener is known: own, which must be under a
// name that is no public site's unless this process is Alone, or the listener's when own is empty.
func URL(own string, listener net.Listener) (string, error) {
	if own == "" {
		return "http://" + listener.Addr().String(), nil
	}
	u, err := url.Parse(own)
	if err != nil || own != u.Scheme+"://"+u.Host || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is not an address such as https://accounts.fledge.test", own)
	}
	if !hostname.IsTest(u.Hostname()) && !hostname.IsCluster(u.Hostname()) && !Alone() {
		return "", fmt.Errorf("refusing to be %q: a stand-in stays on this machine, under a test name, or in its cluster", own)
	}
	return own, nil
}
