package pg_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"testing"
	"testing/fstest"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

func TestAStartWaitsForAServerThatIsNotThereYet(t *testing.T) {
	server, err := url.Parse(pgtest.NewEmpty(t))
	errtest.None(t, err)
	door, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	address := door.Addr().String()
	errtest.None(t, door.Close())
	late := *server
	late.Host = address
	tries := 0
	err = start(t, late.String(), func(ctx context.Context) error {
		if tries++; tries == 2 {
			passOn(t, address, server.Host)
		}
		return pg.Migrate(ctx, late.String(), things)
	})
	if err != nil || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

func TestAStartDoesNotWaitForAServerThatRefuses(t *testing.T) {
	server, err := url.Parse(pgtest.NewEmpty(t))
	errtest.None(t, err)
	server.Path = "/nowhere"
	tries := 0
	err = start(t, server.String(), func(ctx context.Context) error {
		tries++
		return pg.Migrate(ctx, server.String(), things)
	})
	if err == nil || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

var things = pg.Migrations{Name: "things", FS: fstest.MapFS{
	"migrations/00001_init.sql": {Data: []byte("-- +goose Up\nCREATE TABLE things (id int PRIMARY KEY);\n")},
}}

// start starts the unit of a service that migrates the database at url when it starts.
func start(t *testing.T, url string, migrate func(context.Context) error) error {
	t.Helper()
	cfg := settings(url)
	cfg.MigrateOnStart = true
	pool, err := pg.Open(t.Context(), cfg, runtime())
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	_, err = cfg.Unit(pool, migrate).Start(t.Context())
	return err
}

// passOn makes a server answer at another address, until the test ends.
func passOn(t *testing.T, address, server string) {
	t.Helper()
	door, err := net.Listen("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { _ = door.Close() })
	go func() {
		for {
			in, err := door.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
}

// TestAnOutageDoesNotEndReadiness: all replicas share the database, and each has answers
// that need none.
func TestAnOutageDoesNotEndReadiness(t *testing.T) {
	rt := runtime()
	pool, err := pg.Open(t.Context(), settings(pgtest.NewEmpty(t)), rt)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt, service.Base{StopTimeout: time.Second}, nil) }()
	waittest.Eventually(t, "it is ready", func() bool { return rt.Health.Check(t.Context()).Ready })
	pool.Close()
	if report := rt.Health.Check(t.Context()); !report.Ready || report.Checks["database"] == nil {
		t.Errorf("without its database: ready %t, database %v", report.Ready, report.Checks["database"])
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestAServiceThatMigratesNothingWaitsForItsServer, so that what starts after it knows the
// server's time.
func TestAServiceThatMigratesNothingWaitsForItsServer(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(pgtest.NewEmpty(t))
	errtest.None(t, err)
	door, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	address := door.Addr().String()
	errtest.None(t, door.Close())
	late := *server
	late.Host = address
	rt := runtime()
	rt.Clock = clock.Off(24 * time.Hour)
	pool, err := pg.Open(t.Context(), settings(late.String()), rt)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	started := make(chan error, 1)
	go func() {
		_, err := settings(late.String()).Unit(pool, nil).Start(t.Context())
		started <- err
	}()
	passOn(t, address, server.Host)
	if err := <-started; err != nil || !near(rt.Clock.Now()) {
		t.Errorf("%v, at %s", err, rt.Clock.Now())
	}
}
