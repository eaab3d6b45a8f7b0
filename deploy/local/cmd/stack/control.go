package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"fledge.dev/deploy/local/stack"
)

// control lets browser tests do to the product what an operator does: POST
// /stop/<service> answers 204 when the service has ended, and /restart/<service>
// when it is back. It listens on loopback alone, while the tests run.
type control struct {
	url    string
	server *http.Server
	ended  chan error
}

func startControl(ctx context.Context, running *stack.Stack) (*control, error) {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /stop/{service}", toService(running.StopService))
	mux.HandleFunc("POST /restart/{service}", toService(running.Restart))
	c := &control{
		url:    "http://" + listener.Addr().String(),
		server: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second},
		ended:  make(chan error, 1),
	}
	go func() { c.ended <- c.server.Serve(listener) }()
	return c, nil
}

func toService(do func(ctx context.Context, service string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := do(r.Context(), r.PathValue("service")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func (c *control) stop() error {
	err := c.server.Close()
	if ended := <-c.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
