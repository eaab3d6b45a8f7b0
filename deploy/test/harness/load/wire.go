package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"fledge.dev/deploy/local/person"
)

// Wire sends requests to a gateway, past the front door. net/http's client hands each
// request from goroutine to goroutine: with a thousand under way on a small machine it
// sends half as many, and what it measures is itself.
type Wire struct {
	addr, headers string

	mu   sync.Mutex
	idle []*connection
}

type connection struct {
	net.Conn
	answers *bufio.Reader
}

// Direct returns the wire to the gateway at addr, for a site at origin.
func Direct(addr, origin string) *Wire {
	return &Wire{addr: addr, headers: "Host: " + strings.TrimPrefix(origin, "http://") + "\r\nOrigin: " + origin + "\r\n"}
}

// SignUpsAndReads deals a visitor's sign-up and an admin's read of one of the paths, in turn.
func (w *Wire) SignUpsAndReads(admin *person.Person, paths ...string) Mix {
	signedIn := &http.Request{Header: http.Header{}}
	admin.Authorize(signedIn)
	var deck []Mix
	for _, path := range paths {
		read := "GET " + path + " HTTP/1.1\r\n" + w.headers + "Authorization: " + signedIn.Header.Get("Authorization") + "\r\n\r\n"
		deck = append(deck, w.join, func(int) Request {
			return Request{Name: path, Do: func(ctx context.Context) error { return w.send(ctx, read) }}
		})
	}
	return Deck(deck...)
}

func (w *Wire) join(n int) Request {
	email := fmt.Sprintf("load-%d@fledge.test", n)
	body := fmt.Sprintf(`{"email":%q,"source":"hero_section"}`, email)
	post := fmt.Sprintf("POST /api/add-waitlist-user HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", w.headers, len(body), body)
	return Request{Name: Join, Key: email, Do: func(ctx context.Context) error { return w.send(ctx, post) }}
}

func (w *Wire) send(ctx context.Context, request string) error {
	c, err := w.connect(ctx)
	if err != nil {
		return err
	}
	deadline, _ := ctx.Deadline() // without one there is no end
	status, keep, err := c.exchange(request, deadline)
	if err != nil || !keep {
		err = errors.Join(err, c.Close())
	} else {
		w.mu.Lock()
		w.idle = append(w.idle, c)
		w.mu.Unlock()
	}
	if err == nil && status/100 != 2 {
		return &person.APIError{Status: status}
	}
	return err
}

func (w *Wire) connect(ctx context.Context) (*connection, error) {
	w.mu.Lock()
	if last := len(w.idle) - 1; last >= 0 {
		c := w.idle[last]
		w.idle = w.idle[:last]
		w.mu.Unlock()
		return c, nil
	}
	w.mu.Unlock()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.addr)
	return &connection{conn, bufio.NewReader(conn)}, err
}

func (c *connection) exchange(request string, deadline time.Time) (status int, keep bool, err error) {
	if err := c.SetDeadline(deadline); err != nil {
		return 0, false, err
	}
	if _, err := io.WriteString(c, request); err != nil {
		return 0, false, err
	}
	resp, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return 0, false, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, !resp.Close, err
}
