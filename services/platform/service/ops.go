package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// opsUnit serves the process's own endpoints on an address of their own, away
// from the traffic of users.
func opsUnit(rt *Runtime, addr string, profiles bool) Unit {
	return Unit{Name: "ops", Start: func(ctx context.Context) (func(context.Context) error, error) {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		rt.Log.Info("ops listening", "addr", listener.Addr().String())
		server := &http.Server{Handler: opsHandler(rt, profiles), ReadHeaderTimeout: 5 * time.Second}
		go func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				rt.Fail(fmt.Errorf("ops: %w", err))
			}
		}()
		return server.Shutdown, nil
	}}
}

func opsHandler(rt *Runtime, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { writeReport(w, rt.Health.Check(r.Context())) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(rt.Metrics, promhttp.HandlerOpts{}))
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

func writeReport(w http.ResponseWriter, report Report) {
	if !report.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = fmt.Fprintf(w, "ready: %t\n", report.Ready)
	for _, name := range slices.Sorted(maps.Keys(report.Checks)) {
		state := "ok"
		if report.Checks[name] != nil {
			state = "failed"
		}
		_, _ = fmt.Fprintf(w, "%s: %s\n", name, state)
	}
}
