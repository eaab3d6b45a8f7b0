// Package ports chooses free loopback ports for parts that need each other's address
// before they start.
package ports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
)

// The range lies below the ports that Linux (32768), macOS and IANA (49152)
// take for outgoing connections: a part that was killed finds its port still
// free when it comes back.
const (
	first = 12000
	count = 18000
)

// Allocator hands out ports that were free a moment ago, each only once, and none that
// another Allocator on this machine hands out while this one is referred to.
type Allocator struct {
	mu    sync.Mutex
	claim *claim
	taken map[int]bool
}

// New returns an Allocator.
func New() *Allocator { return &Allocator{taken: map[int]bool{}} }

// Port returns a free loopback port.
func (a *Allocator) Port() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.claim == nil {
		var err error
		if a.claim, err = newClaim(); err != nil {
			return 0, err
		}
	}
	for _, i := range rand.Perm(size) {
		port := a.claim.first + i
		if a.taken[port] || Require(port) != nil {
			continue
		}
		a.taken[port] = true
		return port, nil
	}
	return 0, errors.New("ports: no free port found on 127.0.0.1")
}

// Addr returns a free loopback host:port.
func (a *Allocator) Addr() (string, error) {
	port, err := a.Port()
	return Loopback(port), err
}

// Loopback is the host:port of a port on this machine.
func Loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// Require fails when a loopback port is taken; the error says what to do.
func Require(port int) error {
	l, err := net.Listen("tcp", Loopback(port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken by another program: stop it, or choose five free ports in a row with PORT=<first>", port)
	}
	if err != nil {
		return fmt.Errorf("port %d: %w", port, err)
	}
	return l.Close()
}
