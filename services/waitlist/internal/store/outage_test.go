package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// hasty gives up in a time that a test can wait for.
var hasty = store.Config{Deadline: 300 * time.Millisecond, JoinBatch: 8, JoinQueue: 64}

func TestAHangingDatabaseIsUnavailableSoonAndNeverAFalseYes(t *testing.T) {
	t.Parallel()
	direct, store, link := behindLink(t)
	link.requests.shut()
	link.answers.shut()
	began := time.Now()
	var wg sync.WaitGroup
	for n := range 40 {
		wg.Go(func() {
			_, err := store.Join(t.Context(), email(t, fmt.Sprintf("person%d@example.com", n)), entry.HeroSection)
			if !errors.Is(err, fault.Unavailable) {
				t.Errorf("Join returned %v", err)
			}
		})
	}
	wg.Wait()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("five batches' worth of callers waited %s, each may wait %s", took, hasty.Deadline)
	}
	link.requests.open()
	link.answers.open()
	waittest.Eventually(t, "sign-up works again", func() bool {
		_, err := store.Join(t.Context(), email(t, "after@example.com"), entry.HeroSection)
		return err == nil
	})
	direct.find("after@example.com")
}

func TestACommitWhoseAnswerIsLostIsRepeatable(t *testing.T) {
	t.Parallel()
	direct, store, link := behindLink(t)
	ada := email(t, "ada@example.com")
	link.answers.shut()
	if _, err := store.Join(t.Context(), ada, entry.HeroSection); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("Join returned %v without an answer from the database", err)
	}
	link.answers.open()
	waittest.Eventually(t, "the repeated sign-up is acknowledged", func() bool {
		_, err := store.Join(t.Context(), ada, entry.HeroSection)
		return err == nil
	})
	if rows := direct.count("waitlist_users"); rows != 1 {
		t.Errorf("%d rows, want one", rows)
	}
}

// behindLink returns a fixture with a direct view of a database, and a store
// that has used it once already through a link that can be cut.
func behindLink(t *testing.T) (*fixture, *store.Store, *link) {
	t.Helper()
	databaseURL := newDatabase(t)
	direct := fixtureOn(t, databaseURL, patient)
	address, err := url.Parse(databaseURL)
	errtest.None(t, err)
	l := newLink(t, address.Host)
	address.Host = l.listener.Addr().String()
	rt := service.NewRuntime("waitlist", "dev", obs.NewLogger(io.Discard, "waitlist", 0))
	pool, err := pg.Open(t.Context(), pg.Config{
		URL: config.Secret(address.String()), MaxConns: 4, StatementTimeout: 2 * time.Second, Deadline: hasty.Deadline,
	}, rt)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	s := store.New(pool, clock.System(), nil, hasty)
	stop, err := s.Unit(rt.Metrics).Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	waittest.Eventually(t, "the link works", func() bool {
		_, err := s.Status(t.Context(), uuid.New(), email(t, "nobody@example.com"))
		return err == nil
	})
	return direct, s, l
}

// link forwards TCP connections to a server and can hold the bytes of either
// direction back, which is what a paused server or a lost route look like.
type link struct {
	listener          net.Listener
	requests, answers *gate
}

func newLink(t *testing.T, server string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	l := &link{listener: listener, requests: newGate(), answers: newGate()}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			mu.Lock()
			open = append(open, client, upstream)
			mu.Unlock()
			wg.Go(func() { l.requests.carry(upstream, client) })
			wg.Go(func() { l.answers.carry(client, upstream) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		l.requests.open()
		l.answers.open()
		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l
}

// gate lets bytes of one direction pass while it is open.
type gate struct {
	mu     sync.Mutex
	opened chan struct{}
}

func newGate() *gate {
	g := &gate{opened: make(chan struct{})}
	close(g.opened)
	return g
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}

func (g *gate) pass() {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	<-opened
}

func (g *gate) carry(to, from net.Conn) {
	defer func() { _ = to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		g.pass()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
