package hook

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

// Unit serves handler on addr.
func Unit(addr string, handler http.Handler, rt *service.Runtime) service.Unit {
	return service.Unit{Name: "kratos hooks", Start: func(ctx context.Context) (func(context.Context) error, error) {
		var lc net.ListenConfig
		listener, err := lc.Listen(ctx, "tcp", addr)
		if err != nil {
			return nil, fmt.Errorf("hook: %w", err)
		}
		server := &http.Server{
			Handler: handler, ReadHeaderTimeout: 2 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
			// Longer than Kratos keeps a connection, so that it sends no report on one that is being closed.
			IdleTimeout:    2 * time.Minute,
			MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(rt.Log.Handler(), slog.LevelWarn),
		}
		go func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				rt.Fail(fmt.Errorf("hook: %w", err))
			}
		}()
		rt.Log.Info("hooks listening", "addr", listener.Addr().String())
		return server.Shutdown, nil
	}}
}
