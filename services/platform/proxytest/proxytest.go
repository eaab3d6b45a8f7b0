// Package proxytest tells which hosts a program would reach through the proxy that its
// environment names.
package proxytest

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// marker is set in the process in which Asked calls do.
const marker = "FLEDGE_PROXYTEST"

var noProxy = regexp.MustCompile(`(?i)^no_proxy=`)

// Asked returns what a proxy was asked for while do ran. It runs the test once more in a
// process of its own, as net/http and grpc-go read their environment once; there, nothing
// after Asked is run.
func Asked(t *testing.T, do func()) []string {
	t.Helper()
	if os.Getenv(marker) != "" {
		do()
		t.SkipNow()
	}
	proxy := Listen(t)
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+regexp.QuoteMeta(t.Name())+"$")
	again.Env = append(append(slices.DeleteFunc(os.Environ(), noProxy.MatchString), proxy.Environment()...), marker+"=1")
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return proxy.Asked()
}

// Proxy refuses everything, and notes what it was asked for.
type Proxy struct {
	address string

	mu    sync.Mutex
	asked []string
}

// Listen starts a proxy that lives as long as the test.
func Listen(t *testing.T) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	p := &Proxy{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.refuse(conn)
		}
	}()
	return p
}

// Environment names the proxy for http and https. Go's clients send what is meant for
// loopback addresses to no proxy.
func (p *Proxy) Environment() []string {
	return []string{"HTTP_PROXY=http://" + p.address, "HTTPS_PROXY=http://" + p.address}
}

// Asked returns the hosts as requests named them, each once.
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.asked)
	return slices.Compact(p.asked)
}

func (p *Proxy) refuse(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	host := "not HTTP"
	if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		host = req.Host
	}
	p.mu.Lock()
	p.asked = append(p.asked, host)
	p.mu.Unlock()
	_, _ = conn.Write([]byte("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
}
