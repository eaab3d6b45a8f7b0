package link_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fledge.dev/deploy/local/link"
	"fledge.dev/services/platform/errtest"
)

// soon is longer than anything here takes, and moment what silence is believed after.
const (
	soon   = time.Minute
	moment = 50 * time.Millisecond
)

// greeter takes connections, says its name and then what it hears, until the caller has
// said all.
func greeter(t *testing.T, name string) (addr string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				_, _ = io.WriteString(conn, name)
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			})
		}
	})
	stop = sync.OnceFunc(func() { _ = listener.Close(); serving.Wait() })
	return listener.Addr().String(), stop
}

func open(t *testing.T, targets ...string) *link.Link {
	t.Helper()
	l, err := link.NewLink(t.Context(), "127.0.0.1:0", targets...)
	errtest.None(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func dial(t *testing.T, l *link.Link) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr())
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	errtest.None(t, conn.SetDeadline(time.Now().Add(soon)))
	return conn.(*net.TCPConn)
}

func hears(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("heard %q, %v; want %q", got, err, want)
	}
}

func hearsNothing(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(moment))
	if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("heard %d bytes, %v", n, err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(soon))
}

func isReset(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.ReadAll(conn); !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("got %v, want a reset", err)
	}
}

// isRefused: the reset may come before the dial has returned, or after.
func isRefused(t *testing.T, l *link.Link) {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr())
	if err == nil {
		_, err = io.ReadAll(conn)
		_ = conn.Close()
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("got %v, want a reset", err)
	}
}

func TestALinkCarriesAllOfBothWays(t *testing.T) {
	addr, stop := greeter(t, "a")
	t.Cleanup(stop)
	conn := dial(t, open(t, addr))
	hears(t, conn, "a")
	said := strings.Repeat("all of it", 100_000)
	go func() {
		_, _ = io.WriteString(conn, said)
		_ = conn.CloseWrite()
	}()
	if heard, err := io.ReadAll(conn); err != nil || string(heard) != said {
		t.Errorf("heard %d of %d bytes, %v", len(heard), len(said), err)
	}
}

func TestACutEndsConnectionsAndNewOnesWork(t *testing.T) {
	addr, stop := greeter(t, "a")
	t.Cleanup(stop)
	l := open(t, addr)
	conn := dial(t, l)
	hears(t, conn, "a")
	l.Cut()
	isReset(t, conn)
	hears(t, dial(t, l), "a")
}

func TestASparedTargetGetsNoNewConnections(t *testing.T) {
	a, stopA := greeter(t, "a")
	b, stopB := greeter(t, "b")
	t.Cleanup(stopA)
	t.Cleanup(stopB)
	l := open(t, a, b)
	old := dial(t, l)
	hears(t, old, "b") // the second's turn comes first
	l.Spare(b)
	for range 4 {
		hears(t, dial(t, l), "a")
	}
	_, _ = io.WriteString(old, "still")
	hears(t, old, "still")
	l.Spare(a)
	isRefused(t, l)
	l.Use(b)
	hears(t, dial(t, l), "b")
}

func TestARefusingLinkTakesNobodyUntilItHeals(t *testing.T) {
	addr, stop := greeter(t, "a")
	t.Cleanup(stop)
	l := open(t, addr)
	conn := dial(t, l)
	hears(t, conn, "a")
	l.Refuse()
	isReset(t, conn)
	isRefused(t, l)
	l.Heal()
	hears(t, dial(t, l), "a")
}

func TestABlackholeHoldsEverythingUntilItHeals(t *testing.T) {
	addr, stop := greeter(t, "a")
	l := open(t, addr)
	old := dial(t, l)
	hears(t, old, "a")
	l.Blackhole()
	_, _ = io.WriteString(old, "late")
	late := dial(t, l)
	hearsNothing(t, old)
	hearsNothing(t, late)
	l.Heal()
	hears(t, old, "late")
	hears(t, late, "a")
	l.Blackhole()
	_ = old.Close()
	_ = late.Close()
	l.Cut() // frees who waits
	stop()
}

func TestTheEndIsNotHeardThroughABlackhole(t *testing.T) {
	addr, stop := greeter(t, "a")
	l := open(t, addr)
	conn := dial(t, l)
	hears(t, conn, "a")
	l.Blackhole()
	_ = conn.CloseWrite() // the other side would answer with its own end
	hearsNothing(t, conn)
	l.Heal()
	if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
		t.Errorf("heard %q, %v", rest, err)
	}
	stop()
}

func TestConnectionsGoToWhoeverListens(t *testing.T) {
	first, stopFirst := greeter(t, "a")
	second, stopSecond := greeter(t, "b")
	l := open(t, first, second)
	heard := map[string]int{}
	for range 4 {
		conn := dial(t, l)
		name := make([]byte, 1)
		if _, err := io.ReadFull(conn, name); err != nil {
			t.Fatal(err)
		}
		heard[string(name)]++
		_ = conn.Close()
	}
	if heard["a"] != 2 || heard["b"] != 2 {
		t.Errorf("in turn: %v", heard)
	}
	stopFirst()
	for range 4 {
		conn := dial(t, l)
		hears(t, conn, "b")
		_ = conn.Close()
	}
	stopSecond()
	isRefused(t, l)
}
