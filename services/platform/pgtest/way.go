package pgtest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// Way is a way to a database that can be cut: nothing passes any more, and nobody is told.
type Way struct {
	// URL is the database's, by this way.
	URL string

	t    testing.TB
	cut  chan struct{}
	once sync.Once
}

// NewWay opens a way to the database at a URL. It is cut once a client has sent the text last,
// if that is not empty, which still arrives; its answer does not.
func NewWay(t testing.TB, database, last string) *Way {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	location, err := url.Parse(database)
	errtest.None(t, err)
	server := location.Host
	location.Host = listener.Addr().String()
	w := &Way{URL: location.String(), t: t, cut: make(chan struct{})}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = client.Close(); _ = upstream.Close() })
			go w.pass(upstream, client, []byte(last))
			go w.pass(client, upstream, nil)
		}
	}()
	return w
}

// Cut cuts the way for all who use it.
func (w *Way) Cut() { w.once.Do(func() { close(w.cut) }) }

// AwaitCut starts what cuts the way, and waits for that. What it started ends with the test.
func (w *Way) AwaitCut(start func() error) {
	w.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- start() }()
	select {
	case <-w.cut:
	case err := <-ended:
		w.t.Fatalf("the way was not cut: %v", err)
	case <-time.After(waittest.Timeout):
		w.t.Fatalf("the way was not cut within %s", waittest.Timeout)
	}
}

func (w *Way) pass(to, from net.Conn, last []byte) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		select {
		case <-w.cut:
			return
		default:
		}
		if err != nil {
			return
		}
		if len(last) > 0 && bytes.Contains(buffer[:n], last) {
			w.Cut()
		}
		if _, err = to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
