package loopback

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server is a running HTTP server.
type Server struct {
	http *http.Server
	done chan error
}

// Serve serves until Close. The log receives the server's own errors.
func Serve(listener net.Listener, handler http.Handler, log *slog.Logger) *Server {
	s := &Server{
		http: &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)},
		done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s
}

// Close ends the server; requests under way get until ctx is done.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if serve := <-s.done; !errors.Is(serve, http.ErrServerClosed) {
		err = errors.Join(err, serve)
	}
	return err
}
