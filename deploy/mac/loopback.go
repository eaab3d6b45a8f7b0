package mac

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listener waits for the browser on a loopback address (RFC 8252 section 7.3):
// for apps without a registered scheme, and for programs such as this one. It
// answers on a port that the system picks, and once.
type Listener struct{ tcp net.Listener }

// Listen opens a port on 127.0.0.1, or on ::1 of a machine without IPv4.
func Listen(ctx context.Context) (*Listener, error) {
	var network net.ListenConfig
	tcp, err := network.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		var err6 error
		if tcp, err6 = network.Listen(ctx, "tcp6", "[::1]:0"); err6 != nil {
			return nil, fmt.Errorf("no port for the browser to come back to: %w", errors.Join(err, err6))
		}
	}
	return &Listener{tcp: tcp}, nil
}

// Callback is where the browser comes back to.
func (l *Listener) Callback() string { return "http://" + l.tcp.Addr().String() + loopbackPath }

const (
	readTimeout = 5 * time.Second
	maxHeader   = maxLink + 8<<10 // bytes
)

// Receive returns what the browser brings for an attempt, or the *Refusal that
// it brings. Requests that are not the attempt's are refused and change nothing.
// It ends with ctx, or with ErrAttemptOver after AttemptLife, and gives the port back.
func (l *Listener) Receive(ctx context.Context, attempt Attempt) (Answer, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, attempt.StartedAt.Add(AttemptLife), ErrAttemptOver)
	defer cancel()
	handler := &callbackHandler{attempt: attempt, host: l.tcp.Addr().String(), received: make(chan outcome, 1)}
	server := &http.Server{Handler: handler, ReadTimeout: readTimeout, MaxHeaderBytes: maxHeader}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l.tcp) }()
	defer func() { _ = server.Close() }() // what the browser is told has been sent by then
	select {
	case got := <-handler.received:
		return got.answer, got.err
	case err := <-ended:
		return Answer{}, fmt.Errorf("the browser cannot come back: %w", err)
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

type outcome struct {
	answer Answer
	err    error
}

// callbackHandler handles the redirect that ends the sign-in.
type callbackHandler struct {
	attempt  Attempt
	host     string
	received chan outcome
	once     sync.Once
}

func (h *callbackHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	// Against DNS rebinding: a foreign page that found the port sends another Host.
	if r.Host != h.host || r.URL.Path != loopbackPath {
		show(w, http.StatusNotFound, pageNotFound)
		return
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		show(w, http.StatusMethodNotAllowed, pageNotFound)
		return
	}
	answer, err := h.attempt.Read(h.attempt.Callback+"?"+r.URL.RawQuery, time.Now())
	if errors.Is(err, ErrForeignCallback) {
		show(w, http.StatusBadRequest, pageForeign)
		return
	}
	first := false
	h.once.Do(func() { first = true })
	switch {
	case !first:
		show(w, http.StatusGone, pageUsed)
	case err != nil:
		show(w, http.StatusOK, pageFailed)
	default:
		show(w, http.StatusOK, pageReceived)
	}
	if first {
		h.received <- outcome{answer, err}
	}
}
