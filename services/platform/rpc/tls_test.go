package rpc_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// house is where certificates lie, a folder for each service.
type house struct {
	t   *testing.T
	dir string
	ca  *certstest.Authority
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return &house{t, t.TempDir(), newAuthority(t)}
}

func newAuthority(t *testing.T) *certstest.Authority {
	t.Helper()
	ca, err := certstest.New(time.Hour)
	errtest.None(t, err)
	return ca
}

// issue gives the holder of a folder a certificate for a name.
func (h *house) issue(holder, name string, ca *certstest.Authority, lifetime time.Duration, trusted ...*certstest.Authority) rpc.TLSConfig {
	h.t.Helper()
	dir := filepath.Join(h.dir, holder)
	errtest.None(h.t, ca.Write(dir, certstest.Leaf{Name: name, Lifetime: lifetime}, trusted...))
	return rpc.TLSConfig{CertFile: filepath.Join(dir, certstest.CertFile), KeyFile: filepath.Join(dir, certstest.KeyFile), CAFile: filepath.Join(dir, certstest.CAFile)}
}

func (h *house) own(name string) rpc.TLSConfig { return h.issue(name, name, h.ca, time.Hour) }

// identity serves with TLS; connections end after the given time.
func (h *house) identity(log io.Writer, cfg rpc.TLSConfig, age time.Duration) string {
	h.t.Helper()
	issuer := authntest.New(h.t, nil)
	rt := service.NewRuntime("identity", "test", obs.NewLogger(log, "identity", slog.LevelInfo))
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: age, TLS: cfg}, rt, issuer.Verifier(), issuer, policy)
	errtest.None(h.t, err)
	server.Open(rpc.Callers{
		identityv1.IdentityService_CheckAccess_FullMethodName: {"support"},
		identityv1.IdentityService_GetJWKS_FullMethodName:     {rpc.Everyone},
	})
	server.Register(&identityv1.IdentityService_ServiceDesc, identity{})
	stop, err := server.Unit().Start(h.t.Context())
	errtest.None(h.t, err)
	h.t.Cleanup(func() { _ = stop(context.Background()) })
	return server.Addr()
}

func (h *house) client(log io.Writer, addr string, cfg rpc.TLSConfig) identityv1.IdentityServiceClient {
	h.t.Helper()
	rt := service.NewRuntime("client", "test", obs.NewLogger(log, "client", slog.LevelInfo))
	return dial(h.t, addr, rpc.ClientConfig{InternalToken: internalToken, TLS: cfg, Service: "identity", Runtime: rt})
}

func check(ctx context.Context, client identityv1.IdentityServiceClient) error {
	_, err := client.CheckAccess(ctx, &identityv1.CheckAccessRequest{})
	return err
}

func TestACertificateDecidesWhatItsServiceMayCall(t *testing.T) {
	h := newHouse(t)
	var log logtest.Log
	addr := h.identity(&log, h.own("identity"), time.Minute)
	refresh := func(client identityv1.IdentityServiceClient) error {
		_, err := client.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{})
		return err
	}
	for name, want := range map[string]struct{ check, refresh bool }{
		"gateway": {true, true}, "support": {true, false}, "billing": {false, false},
	} {
		client := h.client(io.Discard, addr, h.own(name))
		// The method is not written: that it is reached is enough.
		if err := refresh(client); errors.Is(err, fault.Forbidden) == want.refresh {
			t.Errorf("%s calls what is for people: %v", name, err)
		}
		if _, err := client.GetJWKS(t.Context(), &identityv1.GetJWKSRequest{}); errors.Is(err, fault.Forbidden) {
			t.Errorf("%s calls what is opened to everyone: %v", name, err)
		}
		if err := check(t.Context(), client); (err == nil) != want.check || (err != nil && !errors.Is(err, fault.Forbidden)) {
			t.Errorf("%s calls what is opened to support: %v", name, err)
		}
	}
	if got := log.String(); !strings.Contains(got, `the certificate is of [\"billing\"], who may not call /fledge.identity.v1.IdentityService/CheckAccess`) {
		t.Errorf("the log does not tell who was refused: %s", got)
	}
}

// TestATokenIsStillAskedFor: a certificate alone opens nothing.
func TestATokenIsStillAskedFor(t *testing.T) {
	h := newHouse(t)
	addr := h.identity(io.Discard, h.own("identity"), time.Minute)
	rt := service.NewRuntime("client", "test", slog.New(slog.DiscardHandler))
	client := dial(t, addr, rpc.ClientConfig{TLS: h.own("gateway"), Service: "identity", Runtime: rt})
	if err := check(t.Context(), client); !errors.Is(err, fault.NotFound) {
		t.Errorf("an internal method without the token: %v", err)
	}
	if _, err := client.GetUser(t.Context(), &identityv1.GetUserRequest{}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("a person's method without a token: %v", err)
	}
}

func TestConnectionsAreRefused(t *testing.T) {
	h := newHouse(t)
	foreign := newAuthority(t)
	gateway := h.own("gateway")
	for name, tc := range map[string]struct {
		server, client rpc.TLSConfig
		// who logs what
		serverLog, clientLog string
	}{
		"a server of another authority": {h.issue("s1", "identity", foreign, time.Hour), gateway, "", "unknown authority"},
		"a server of another name":      {h.issue("s2", "billing", h.ca, time.Hour), gateway, "", "valid for billing, not identity"},
		"a caller of another authority": {h.own("identity"), h.issue("c1", "gateway", foreign, time.Hour, h.ca), "unknown authority", ""},
		"a caller in plain text":        {h.own("identity"), rpc.TLSConfig{}, "first record does not look like a TLS handshake", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var serverLog, clientLog logtest.Log
			client := h.client(&clientLog, h.identity(&serverLog, tc.server, time.Minute), tc.client)
			if err := check(t.Context(), client); !errors.Is(err, fault.Unavailable) {
				t.Errorf("got %v", err)
			}
			waittest.Seen(t, "the logs tell", func() (bool, string) {
				return strings.Contains(serverLog.String(), tc.serverLog) && strings.Contains(clientLog.String(), tc.clientLog), serverLog.String() + clientLog.String()
			})
		})
	}
}

func TestNobodyStartsWithACertificateThatHasEnded(t *testing.T) {
	h := newHouse(t)
	rt := service.NewRuntime("client", "test", slog.New(slog.DiscardHandler))
	_, err := rpc.Dial("127.0.0.1:1", rpc.ClientConfig{TLS: h.issue("gateway", "gateway", h.ca, -time.Minute), Service: "identity", Runtime: rt})
	if err == nil || !strings.Contains(err.Error(), "which is not now") {
		t.Errorf("got %v", err)
	}
}

// TestACertificateThatHasEndedIsRefused by either side, which its holder, who does not
// look, would show.
func TestACertificateThatHasEndedIsRefused(t *testing.T) {
	h := newHouse(t)
	careless := func(name string) *tls.Config {
		files := h.issue("ended-"+name, name, h.ca, -time.Minute)
		cert, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
		errtest.None(t, err)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(h.ca.PEM())
		return &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: pool, ServerName: "identity", NextProtos: []string{"h2"}}
	}
	var serverLog, clientLog logtest.Log
	conn, err := grpc.NewClient(h.identity(&serverLog, h.own("identity"), time.Minute), grpc.WithTransportCredentials(credentials.NewTLS(careless("gateway"))))
	errtest.None(t, err)
	defer func() { _ = conn.Close() }()
	if err := check(t.Context(), identityv1.NewIdentityServiceClient(conn)); status.Code(err) != codes.Unavailable {
		t.Errorf("a caller's: %v", err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", careless("identity"))
	errtest.None(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			_ = accepted.(*tls.Conn).Handshake()
			_ = accepted.Close()
		}
	}()
	if err := check(t.Context(), h.client(&clientLog, listener.Addr().String(), h.own("gateway"))); !errors.Is(err, fault.Unavailable) {
		t.Errorf("a server's: %v", err)
	}
	for side, log := range map[string]*logtest.Log{"server": &serverLog, "client": &clientLog} {
		waittest.Seen(t, side+" tells", func() (bool, string) { return strings.Contains(log.String(), "certificate has expired"), log.String() })
	}
}

// TestCertificatesChangeUnderLoad moves a server and its client to another authority
// while calls run and connections come and go: first both trust both, then the
// certificates change, then the old authority goes.
func TestCertificatesChangeUnderLoad(t *testing.T) {
	h := newHouse(t)
	next := newAuthority(t)
	serverFiles, clientFiles := h.own("identity"), h.own("gateway")
	addr := h.identity(io.Discard, serverFiles, 30*time.Millisecond)
	client := h.client(io.Discard, addr, clientFiles)

	var made, failed atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for ctx.Err() == nil {
				if err := check(t.Context(), client); err != nil {
					failed.Add(1)
					t.Error(err)
					return
				}
				made.Add(1)
			}
		})
	}
	for _, step := range []struct {
		issuer  *certstest.Authority
		trusted []*certstest.Authority
	}{
		{h.ca, []*certstest.Authority{next}}, {next, []*certstest.Authority{h.ca}}, {next, nil},
	} {
		for _, name := range []string{"identity", "gateway"} {
			h.issue(name, name, step.issuer, time.Hour, step.trusted...)
		}
		goal := made.Load() + 200
		waittest.Eventually(t, "calls go on", func() bool { return made.Load() >= goal || failed.Load() > 0 })
	}
	cancel()
	load.Wait()
	// The old authority's are strangers now.
	if err := check(t.Context(), h.client(io.Discard, addr, h.issue("old", "gateway", h.ca, time.Hour, next))); err == nil {
		t.Error("a certificate of the authority before is let in")
	}
	t.Logf("%d calls, %d failed", made.Load(), failed.Load())
}
