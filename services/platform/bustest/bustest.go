// Package bustest gives a test a real NATS server with JetStream on disk, in the
// test's own process. It can be stopped, restarted, and have its data wiped. The package
// must not be imported outside tests.
package bustest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
)

const startTimeout = 20 * time.Second

// Server is one NATS server on a loopback port that it keeps over restarts.
// Its methods belong to the test's goroutine.
type Server struct {
	t       testing.TB
	options server.Options
	running *server.Server
}

// Start starts a server that stops with the test. Each adjust may change its
// options, such as users or TLS.
func Start(t testing.TB, adjust ...func(*server.Options)) *Server {
	t.Helper()
	s := &Server{t: t, options: server.Options{
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		JetStream:  true,
		StoreDir:   t.TempDir(),
		SyncAlways: true,
		MaxPayload: 256 << 10,
		NoLog:      true,
		NoSigs:     true,
	}}
	for _, f := range adjust {
		f(&s.options)
	}
	t.Cleanup(s.Stop)
	s.Restart()
	return s
}

// URL is where clients connect, also while the server is stopped.
func (s *Server) URL() string { return s.running.ClientURL() }

// Stop ends the server and waits for it; data on disk stays. Stopping a stopped
// server does nothing.
func (s *Server) Stop() {
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
}

// Restart starts the server on its old port with the data that is on disk.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	// The server keeps and changes what it is given.
	options := s.options.Clone()
	running, err := server.NewServer(options)
	errtest.None(s.t, err)
	running.Start()
	if !running.ReadyForConnections(startTimeout) {
		running.Shutdown()
		s.t.Fatalf("bustest: the server is not ready after %s", startTimeout)
	}
	s.running = running
	s.options.Port = options.Port
}

// Wipe stops the server, deletes everything it has stored, and starts it empty.
func (s *Server) Wipe() {
	s.t.Helper()
	s.replace(func(dir string) error { return os.RemoveAll(dir) })
}

// Backup copies what the server has stored, which restore puts back.
func (s *Server) Backup() (restore func()) {
	s.t.Helper()
	backup := filepath.Join(s.t.TempDir(), "backup")
	s.replace(func(dir string) error { return os.CopyFS(backup, os.DirFS(dir)) })
	return func() {
		s.replace(func(dir string) error { return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(backup))) })
	}
}

// replace stops the server, lets change work on its storage directory, and
// starts it with the outcome.
func (s *Server) replace(change func(dir string) error) {
	s.t.Helper()
	s.Stop()
	errtest.None(s.t, change(s.options.StoreDir))
	s.Restart()
}

// JetStream connects as an operator would, beside the code under test. The
// connection ends with the test.
func (s *Server) JetStream() jetstream.JetStream {
	s.t.Helper()
	nc, err := nats.Connect(s.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	errtest.None(s.t, err)
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	errtest.None(s.t, err)
	return js
}

// Publish puts an event into a service's stream, as that service would. The stream is made
// if it is not there.
func (s *Server) Publish(service string, ev bus.Event) {
	s.t.Helper()
	if ev.Time.IsZero() {
		ev.Time = time.Now()
	}
	row, err := bus.Encode(s.t.Context(), ev)
	errtest.None(s.t, err)
	js := s.JetStream()
	cfg := jetstream.StreamConfig{Name: bus.StreamOf(service), Subjects: []string{"fledge." + service + ".>"}}
	_, err = js.CreateOrUpdateStream(s.t.Context(), cfg)
	errtest.None(s.t, err)
	_, err = js.PublishMsg(s.t.Context(), row.Message())
	errtest.None(s.t, err)
}

// Published are the subjects of a service's events of a type that its stream holds.
func (s *Server) Published(service, eventType string) (subjects []string) {
	s.t.Helper()
	stream, err := s.JetStream().Stream(s.t.Context(), bus.StreamOf(service))
	if err != nil {
		return nil
	}
	for next := uint64(1); ; {
		msg, err := stream.GetMsg(s.t.Context(), next, jetstream.WithGetMsgSubject(eventType))
		if err != nil {
			return subjects
		}
		subjects, next = append(subjects, msg.Header.Get("Fledge-Subject")), msg.Sequence+1
	}
}

// Reconfigure restarts the server with changed options and its old data.
func (s *Server) Reconfigure(adjust func(*server.Options)) {
	s.t.Helper()
	adjust(&s.options)
	s.Restart()
}
