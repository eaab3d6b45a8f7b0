package pg_test

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/waittest"
)

// server answers a client's wish for TLS with a certificate, and nothing more; it tells
// how the handshake ended.
func server(t *testing.T, dir string) (addr string, handshakes <-chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	ended := make(chan error, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			ended <- handshake(conn, dir)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String(), ended
}

// handshake is PostgreSQL's SSLRequest: eight bytes, answered by an S.
func handshake(conn net.Conn, dir string) error {
	cert, err := tls.LoadX509KeyPair(filepath.Join(dir, certstest.CertFile), filepath.Join(dir, certstest.KeyFile))
	if err != nil {
		return err
	}
	if _, err := conn.Read(make([]byte, 8)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte("S")); err != nil {
		return err
	}
	secured := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13})
	if err := secured.Handshake(); err != nil {
		return err
	}
	_, err = secured.Read(make([]byte, 1)) // a client that refuses says so now
	return err
}

func TestTheAuthorityOfTheDatabaseMayChange(t *testing.T) {
	dir := t.TempDir()
	issue := func() {
		ca, err := certstest.New(time.Hour)
		errtest.None(t, err)
		errtest.None(t, ca.Write(dir, certstest.Leaf{Name: "db", IPs: []net.IP{net.IPv4(127, 0, 0, 1)}, Lifetime: time.Hour}))
	}
	issue()
	addr, handshakes := server(t, dir)
	cafile := filepath.Join(dir, certstest.CAFile)
	pool, err := pg.Open(t.Context(), settings("postgres://u@"+addr+"/db?sslmode=verify-full&sslrootcert="+cafile), runtime())
	errtest.None(t, err)
	defer pool.Close()
	// A pool connects when it likes to, also while files are written.
	greeted := func(what string) {
		t.Helper()
		waittest.Eventually(t, what, func() bool {
			for len(handshakes) > 0 {
				t.Logf("another handshake: %v", <-handshakes)
			}
			if err := pool.Ping(t.Context()); err == nil {
				t.Fatal("a server that says nothing was reached")
			}
			return <-handshakes == nil
		})
	}
	greeted("a handshake at first")
	issue()
	greeted("a handshake with another authority, whose file has changed")
	errtest.None(t, errors.Join(os.WriteFile(cafile, []byte("spoilt"), 0o600)))
	greeted("a handshake with the last good file, when it is spoilt")
}
