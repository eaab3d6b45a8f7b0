package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
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

// Straight is a transport that takes calls of the API to a gateway at addr, past the front
// door. net/http's own, with two goroutines for each connection, would take more of a
// small machine than what is measured.
func Straight(addr string) http.RoundTripper { return &straight{addr: addr} }

type straight struct {
	addr string

	mu   sync.Mutex
	idle []*connection
}

type connection struct {
	net.Conn
	answers *bufio.Reader
}

func (s *straight) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if !strings.HasPrefix(req.URL.Path, "/api/") {
		return http.DefaultTransport.RoundTrip(req)
	}
	c, err := s.connect(req.Context())
	if err != nil {
		return nil, err
	}
	deadline, _ := req.Context().Deadline() // without one there is no end
	resp, body, err := c.exchange(req, deadline)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if resp.Close {
		_ = c.Close()
	} else {
		s.mu.Lock()
		s.idle = append(s.idle, c)
		s.mu.Unlock()
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func (s *straight) connect(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	if last := len(s.idle) - 1; last >= 0 {
		c := s.idle[last]
		s.idle = s.idle[:last]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
	return &connection{conn, bufio.NewReader(conn)}, err
}

func (c *connection) exchange(req *http.Request, deadline time.Time) (*http.Response, []byte, error) {
	if err := c.SetDeadline(deadline); err != nil {
		return nil, nil, err
	}
	if err := req.Write(c); err != nil {
		return nil, nil, err
	}
	resp, err := http.ReadResponse(c.answers, req)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, body, errors.Join(err, resp.Body.Close())
}
