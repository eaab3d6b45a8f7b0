// Package ready waits until programs answer.
package ready

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	poll           = 20 * time.Millisecond
	requestTimeout = 2 * time.Second
)

// ErrGone tells that the program ended before it was ready.
var ErrGone = errors.New("it ended while starting")

// HTTP waits until a GET of url answers with status, or with any status when
// that is 0. It gives up after timeout and when gone is closed.
func HTTP(ctx context.Context, url string, status int, gone <-chan struct{}, timeout time.Duration) error {
	client := &http.Client{Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	return wait(ctx, gone, timeout, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		if _ = resp.Body.Close(); status != 0 && resp.StatusCode != status {
			return fmt.Errorf("%s answers %d", url, resp.StatusCode)
		}
		return nil
	})
}

// TCP waits until addr takes connections.
func TCP(ctx context.Context, addr string, gone <-chan struct{}, timeout time.Duration) error {
	var dialer net.Dialer
	return wait(ctx, gone, timeout, func(ctx context.Context) error {
		conn, err := dialer.DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

func wait(ctx context.Context, gone <-chan struct{}, timeout time.Duration, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-gone:
			return ErrGone
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", errors.Join(ctx.Err(), err))
		case <-ticker.C:
		}
	}
}
