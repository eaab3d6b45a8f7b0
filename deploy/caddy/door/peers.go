package door

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

const (
	// fromPeer marks the request of a replica, which is not passed on.
	fromPeer = "Fledge-Peer"

	lookupTimeout = time.Second
	dialTimeout   = 500 * time.Millisecond
	answerTimeout = time.Second
	// fileTimeout includes sending the file on.
	fileTimeout = 30 * time.Second
	// asksAtOnce is how many requests may wait for peers: names that nobody has are cheap
	// to think of.
	asksAtOnce = 64
)

// Peers asks the other replicas for a file that this one does not have. While a new
// version is rolled out, a page of one version asks for its scripts at the other. What no
// replica has is not found.
type Peers struct {
	// Addresses are host:port. A host may have any number of addresses.
	Addresses []string `json:"addresses,omitempty"`

	client *http.Client
	turns  chan struct{}
}

// CaddyModule names the handler.
func (*Peers) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.fledge_peers", New: func() caddy.Module { return new(Peers) }}
}

// Provision prepares to ask.
func (p *Peers) Provision(caddy.Context) error {
	p.turns = make(chan struct{}, asksAtOnce)
	p.client = &http.Client{
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
			ResponseHeaderTimeout: answerTimeout,
			// Files are passed on as they are.
			DisableCompression: true,
			IdleConnTimeout:    10 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return nil
}

// Cleanup ends the connections.
func (p *Peers) Cleanup() error {
	p.client.CloseIdleConnections()
	return nil
}

var errNobodyHasIt = errors.New("no replica has this file")

// ServeHTTP answers with the first peer's file.
func (p *Peers) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	missing := caddyhttp.Error(http.StatusNotFound, errNobodyHasIt)
	if r.Header.Get(fromPeer) != "" || (r.Method != http.MethodGet && r.Method != http.MethodHead) || r.URL.EscapedPath() != path.Clean(r.URL.Path) {
		return missing
	}
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	default:
		return missing
	}
	ctx, cancel := context.WithTimeout(r.Context(), fileTimeout)
	defer cancel()
	for _, peer := range p.Addresses {
		for _, address := range addressesOf(ctx, peer) {
			if p.passOn(ctx, w, r, peer, address) {
				return nil
			}
		}
	}
	return missing
}

// addressesOf are those of a host:port, each with the port.
func addressesOf(ctx context.Context, peer string) []string {
	host, port, err := net.SplitHostPort(peer)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	// Without an answer nobody can be asked.
	hosts, _ := net.DefaultResolver.LookupHost(ctx, host)
	for i := range hosts {
		hosts[i] = net.JoinHostPort(hosts[i], port)
	}
	return hosts
}

// passOn asks a peer and tells whether it had the file, which is then sent.
func (p *Peers) passOn(ctx context.Context, w http.ResponseWriter, r *http.Request, host, address string) bool {
	request, err := http.NewRequestWithContext(ctx, r.Method, "http://"+address+r.URL.EscapedPath(), nil) //nolint:gosec // G704: the address is a setting
	if err != nil {
		return false
	}
	request.Host = host
	request.Header.Set(fromPeer, "1")
	request.Header["Accept-Encoding"] = r.Header["Accept-Encoding"]
	response, err := p.client.Do(request) //nolint:gosec // G704: the same
	if err != nil {
		return false
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false
	}
	for _, key := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Cache-Control", "Etag", "Last-Modified", "Vary"} {
		if values, found := response.Header[key]; found {
			w.Header()[key] = values
		}
	}
	w.WriteHeader(http.StatusOK)
	// What cannot be sent to the end is told to the reader by the missing bytes.
	_, _ = io.Copy(w, response.Body)
	return true
}
