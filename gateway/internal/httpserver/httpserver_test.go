package httpserver_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"fledge.dev/gateway/internal/httpserver"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// TestIdleConnectionsOutliveThoseOfProxies: of these, Envoy keeps one the longest, for an hour.
func TestIdleConnectionsOutliveThoseOfProxies(t *testing.T) {
	if idle := httpserver.New(http.NotFoundHandler(), slog.New(slog.DiscardHandler)).IdleTimeout; idle <= time.Hour {
		t.Errorf("connections end after %s", idle)
	}
}

// TestConnectionsEndBeforeTheServerDoes: a client that keeps its connection learns with
// an answer that it should not send more on it.
func TestConnectionsEndBeforeTheServerDoes(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	addr := free.Addr().String()
	errtest.None(t, free.Close())
	rt := service.NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", 0))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		units := []service.Unit{httpserver.Unit(addr, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "ok")
		}), rt)}
		ended <- service.Run(ctx, rt, service.Base{DrainDelay: 2 * waittest.Timeout, StopTimeout: waittest.Timeout}, units)
	}()
	t.Cleanup(func() {
		stop()
		rt.Fail(errors.New("the test is over")) // so that it drains no longer
		if err := <-ended; err == nil {
			t.Error("it ended before its time")
		}
	})
	client := &http.Client{Transport: &http.Transport{}, Timeout: waittest.Timeout}
	t.Cleanup(client.CloseIdleConnections)
	ask := func() (answered, last bool) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr, nil)
		errtest.None(t, err)
		resp, err := client.Do(req)
		if err != nil {
			return false, false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK, resp.Close
	}
	waittest.Eventually(t, "it answers", func() bool { answered, _ := ask(); return answered })
	if _, last := ask(); last {
		t.Error("connections end while it is well")
	}
	stop()
	waittest.Eventually(t, "an answer is the last on its connection", func() bool { _, last := ask(); return last })
}
