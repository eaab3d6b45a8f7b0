// Package link breaks the connections between parts of the product: a Link forwards the
// connections from one part to another, and can cut, refuse or hold them.
package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const dialTimeout = 2 * time.Second

// Link is a TCP proxy on 127.0.0.1. Its methods may be called at the same time.
type Link struct {
	listener net.Listener
	targets  []string
	turn     atomic.Uint64
	carrying sync.WaitGroup

	mu       sync.Mutex
	flows    chan struct{} // closed while bytes flow
	pairs    map[*pair]struct{}
	refusing bool
	spared   map[string]bool // targets
}

// NewLink carries connections from addr, such as "127.0.0.1:0", to one of the targets:
// to the next in turn that takes the connection, as a load balancer does.
func NewLink(ctx context.Context, addr string, targets ...string) (*Link, error) {
	if len(targets) == 0 {
		return nil, errors.New("link: a link needs a target")
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	l := &Link{listener: listener, targets: targets, flows: make(chan struct{}), pairs: map[*pair]struct{}{}, spared: map[string]bool{}}
	close(l.flows)
	l.carrying.Go(l.accept)
	return l, nil
}

// Addr is what to connect to in place of the targets.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Cut resets all connections. New ones are carried.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut()
}

// cut needs l.mu.
func (l *Link) cut() {
	for p := range l.pairs {
		p.end(true)
	}
}

// Refuse resets all connections and, until Heal, each new one at once.
func (l *Link) Refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusing = true
	l.cut()
}

// Blackhole holds everything until Heal: connections stay open, new ones are accepted, and
// nothing arrives, not even the end of a connection. Data that was sent meanwhile arrives
// after Heal, as after TCP's retransmission.
func (l *Link) Blackhole() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.flows:
		l.flows = make(chan struct{})
	default:
	}
}

// Heal ends Refuse and Blackhole.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusing = false
	select {
	case <-l.flows:
	default:
		close(l.flows)
	}
}

// Spare carries no new connections to a target, as a load balancer that knows of its end, until
// [Link.Use]. Those that are carried stay.
func (l *Link) Spare(target string) { l.spare(target, true) }

// Use ends Spare.
func (l *Link) Use(target string) { l.spare(target, false) }

func (l *Link) spare(target string, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spared[target] = on
}

func (l *Link) isSpared(target string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spared[target]
}

// Close resets all connections, listens no more and waits for what it runs.
func (l *Link) Close() error {
	err := l.listener.Close()
	l.Refuse() // what was being taken
	l.carrying.Wait()
	return err
}

func (l *Link) accept() {
	for {
		caller, err := l.listener.Accept()
		if err != nil {
			return
		}
		p := &pair{caller: caller, gone: make(chan struct{})}
		if !l.add(p) {
			p.end(true)
			continue
		}
		l.carrying.Go(func() { l.carry(p) })
	}
}

func (l *Link) add(p *pair) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.refusing {
		l.pairs[p] = struct{}{}
	}
	return !l.refusing
}

func (l *Link) remove(p *pair) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pairs, p)
}

// passing waits until bytes flow. It is false when the pair has gone before.
func (l *Link) passing(p *pair) bool {
	l.mu.Lock()
	flows := l.flows
	l.mu.Unlock()
	select {
	case <-flows:
		return true
	case <-p.gone:
		return false
	}
}

func (l *Link) carry(p *pair) {
	defer l.remove(p)
	if !l.passing(p) {
		return
	}
	target, err := l.dial()
	if err != nil {
		p.end(true) // as where nobody listens
		return
	}
	if !p.join(target) {
		return
	}
	var ways sync.WaitGroup
	ways.Go(func() { l.pump(p, target, p.caller) })
	ways.Go(func() { l.pump(p, p.caller, target) })
	ways.Wait()
	p.end(false)
}

func (l *Link) dial() (conn net.Conn, err error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	first := l.turn.Add(1)
	err = errors.New("link: every target is spared")
	for i := range uint64(len(l.targets)) {
		target := l.targets[(first+i)%uint64(len(l.targets))]
		if l.isSpared(target) {
			continue
		}
		if conn, err = dialer.DialContext(context.Background(), "tcp", target); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// pump carries one way. The end of the source is handed on like what came before it;
// a source that broke breaks both.
func (l *Link) pump(p *pair, to, from net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if !l.passing(p) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				p.end(true)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = to.(*net.TCPConn).CloseWrite() // has gone already otherwise
			return
		case err != nil:
			p.end(true)
			return
		}
	}
}

// pair is a carried connection.
type pair struct {
	caller net.Conn
	gone   chan struct{}

	mu     sync.Mutex
	target net.Conn
	ended  bool
}

// join is false, and closes target, when the pair has been reset meanwhile.
func (p *pair) join(target net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		_ = target.Close()
		return false
	}
	p.target = target
	return true
}

// end closes both connections: with RST, as a crash does, or in order.
func (p *pair) end(reset bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	close(p.gone)
	for _, conn := range []net.Conn{p.caller, p.target} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			if reset {
				_ = tcp.SetLinger(0)
			}
			_ = tcp.Close()
		}
	}
}
