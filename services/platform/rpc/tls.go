package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"fledge.dev/services/platform/certs"
	"fledge.dev/services/platform/service"
)

// TLSConfig names PEM files for mutual TLS between services. All empty means
// plain text, which is right only where the network is already trusted, such as
// the loopback interface. The files are read again when they change.
type TLSConfig struct {
	// CertFile holds the certificate, whose DNS names say which service this is: "billing".
	CertFile string `env:"CERT_FILE"`
	KeyFile  string `env:"KEY_FILE"`
	// CAFile holds the authority that must have issued both sides' certificates.
	CAFile string `env:"CA_FILE"`
}

// Validate checks that either all three files are given or none.
func (c TLSConfig) Validate() error {
	if (c.CertFile == "") != (c.KeyFile == "") || (c.CertFile == "") != (c.CAFile == "") {
		return errors.New("TLS needs all three of CERT_FILE, KEY_FILE and CA_FILE, or none")
	}
	return nil
}

// credentials returns the transport credentials of connections; peer is the service that
// a client calls, "" for a server.
func (c TLSConfig) credentials(peer string, rt *service.Runtime) (credentials.TransportCredentials, error) {
	if c.CertFile == "" {
		return insecure.NewCredentials(), nil
	}
	source, err := certs.Open(certs.Files{Cert: c.CertFile, Key: c.KeyFile, CA: c.CAFile}, "grpc", rt)
	if err != nil {
		return nil, err
	}
	return &mutual{source: source, peer: peer, refusals: &refusals{log: rt.Log}}, nil
}

// mutual makes each connection with the certificates that are current then.
type mutual struct {
	source   *certs.Source
	peer     string
	refusals *refusals
}

func (m *mutual) ClientHandshake(ctx context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	// The service's name, whatever its address: an address proves nothing.
	secured, info, err := credentials.NewTLS(m.source.Config()).ClientHandshake(ctx, m.peer, conn)
	if err != nil {
		m.refusals.report("TLS with a service has failed", err, "service", m.peer, "addr", conn.RemoteAddr().String())
	}
	return secured, info, err
}

func (m *mutual) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	cfg := m.source.Config()
	cfg.ClientAuth = tls.RequireAndVerifyClientCert
	secured, info, err := credentials.NewTLS(cfg).ServerHandshake(conn)
	if err != nil {
		m.refusals.report("TLS with a caller has failed", err, "addr", conn.RemoteAddr().String())
	}
	return secured, info, err
}

func (m *mutual) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

func (m *mutual) Clone() credentials.TransportCredentials { copied := *m; return &copied }

// OverrideServerName does nothing: the server's name is fixed.
func (m *mutual) OverrideServerName(string) error { return nil }

// refusals logs why connections are refused, at most one line a second.
type refusals struct {
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
}

func (r *refusals) report(message string, err error, args ...any) {
	if isNetwork(err) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < time.Second {
		return
	}
	r.last = time.Now()
	r.log.Warn(message, append(args, "error", err)...)
}

// isNetwork reports whether the other side was gone or slow, rather than refused.
func isNetwork(err error) bool {
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
		return true
	}
	return slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.Canceled, context.DeadlineExceeded, syscall.ECONNRESET, syscall.EPIPE},
		func(known error) bool { return errors.Is(err, known) })
}
