package github

import (
	"context"
	"net"
	"net/http"
)

// ResolveForTest leads connections to where a test says.
func (c *Client) ResolveForTest(to func(address string) string) {
	c.transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, to(address))
	}
}
