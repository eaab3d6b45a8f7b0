package load

import (
	"context"
	"net"
	"net/http"
	"time"
)

// ByWayOf is a transport that connects to addr whatever name it is asked for, as a front
// door has many; "" resolves names as usual. It has a connection for each request under way.
func ByWayOf(addr string) http.RoundTripper {
	t := &http.Transport{MaxIdleConnsPerHost: 1000, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true}
	if addr != "" {
		t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{Timeout: defaultTimeout}).DialContext(ctx, network, addr)
		}
	}
	return t
}
