// Package httpserver is the gateway's listener: HTTP/1.1 with limits that a slow
// or hostile client cannot stretch.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"fledge.dev/services/platform/service"
)

// idleTimeout is longer than any proxy in front keeps a connection for its next request: ingress-nginx and AWS' load
// balancers a minute, Traefik 90 s, Google's load balancers ten minutes, Envoy an hour. Where the server is the first to
// close one, a request may be on its way there, which is lost (502) unless the proxy may repeat it.
const idleTimeout = 65 * time.Minute

// New returns a server with the limits and without an address.
func New(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           lastOfUnknownLength(handler),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// lastOfUnknownLength closes the connection after a request with a chunked body. net/http
// ignores a Content-Length beside it; a proxy in front that does not could be made to see
// fewer requests than there are (RFC 9112, section 6.1).
func lastOfUnknownLength(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Unit listens on addr and serves handler; stopping finishes the requests in progress.
// While the process drains before that, each answer closes its connection, so that no
// request arrives on it later.
func Unit(addr string, handler http.Handler, rt *service.Runtime) service.Unit {
	return service.Unit{Name: "http", Start: func(ctx context.Context) (func(context.Context) error, error) {
		var config net.ListenConfig
		listener, err := config.Listen(ctx, "tcp", addr)
		if err != nil {
			return nil, fmt.Errorf("http: %w", err)
		}
		rt.Log.Info("http listening", "addr", listener.Addr().String())
		server := New(closeWhileDraining(handler, rt), rt.Log)
		go func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				rt.Fail(fmt.Errorf("http: %w", err))
			}
		}()
		return server.Shutdown, nil
	}}
}

// closeWhileDraining has each answer close its connection once the process drains.
func closeWhileDraining(handler http.Handler, rt *service.Runtime) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rt.Draining() {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}
