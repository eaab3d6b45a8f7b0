package mac_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

type received struct {
	answer mac.Answer
	err    error
}

// waiting is a listener that waits for an attempt's callback.
func waiting(t *testing.T, age time.Duration) (mac.Attempt, <-chan received) {
	t.Helper()
	listener, err := mac.Listen(t.Context())
	errtest.None(t, err)
	attempt := client(t, &fakeSite{}).Begin("google", listener.Callback())
	attempt.StartedAt = attempt.StartedAt.Add(-age)
	result := make(chan received, 1)
	go func() {
		answer, err := listener.Receive(t.Context(), attempt)
		result <- received{answer, err}
	}()
	return attempt, result
}

// visit is the browser.
func visit(t *testing.T, method, address, host string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	errtest.None(t, err)
	if host != "" {
		req.Host = host
	}
	resp, err := (&http.Client{Transport: &http.Transport{}}).Do(req)
	errtest.None(t, err)
	body, err := io.ReadAll(resp.Body)
	errtest.None(t, errors.Join(err, resp.Body.Close()))
	if !resp.Close {
		t.Error("the connection stays")
	}
	return resp.StatusCode, string(body), resp.Header
}

func TestTheBrowserComesBackOnceToALoopbackAddress(t *testing.T) {
	attempt, result := waiting(t, 0)
	if !strings.HasPrefix(attempt.Callback, "http://127.0.0.1:") || !strings.HasSuffix(attempt.Callback, "/auth/callback") {
		t.Fatalf("waits at %s", attempt.Callback)
	}
	good := attempt.Callback + "?code=SECRET-CODE&state=" + attempt.State
	for name, tc := range map[string]struct {
		method, address, host string
		want                  int
	}{
		"another path":     {"GET", strings.Replace(good, "/auth/callback", "/", 1), "", 404},
		"another host":     {"GET", good, "evil.example", 404}, // DNS rebinding
		"another method":   {"POST", good, "", 405},
		"the wrong state":  {"GET", attempt.Callback + "?code=c&state=x", "", 400},
		"no state":         {"GET", attempt.Callback + "?error=access_denied", "", 400},
		"nothing":          {"GET", attempt.Callback, "", 400},
		"somebody's ideas": {"GET", attempt.Callback + "?code=c&state=%3Cscript%3E", "", 400},
	} {
		if status, body, _ := visit(t, tc.method, tc.address, tc.host); status != tc.want || strings.Contains(body, "script") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	select {
	case got := <-result:
		t.Fatalf("a stranger ended the wait: %v", got.err)
	default:
	}

	status, body, header := visit(t, "GET", good, "")
	if status != 200 || !strings.Contains(body, "Authentication Successful!") || strings.Contains(body, "SECRET-CODE") || strings.Contains(body, attempt.State) {
		t.Errorf("%d %s", status, body)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Content-Type": "text/html; charset=utf-8"} {
		if header.Get(name) != want {
			t.Errorf("%s: %q", name, header.Get(name))
		}
	}
	if got := <-result; got.err != nil {
		t.Error(got.err)
	}
	if _, err := (&http.Client{}).Get(good); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a second callback: %v", err)
	}
}

func TestARefusalReachesTheListener(t *testing.T) {
	attempt, result := waiting(t, 0)
	status, body, _ := visit(t, "GET", attempt.Callback+"?error=access_denied&error_description=%3Cb%3Eno%3C%2Fb%3E&state="+attempt.State, "")
	if status != 200 || !strings.Contains(body, "Sign-in didn&#39;t work") || strings.Contains(body, "access_denied") || strings.Contains(body, "<b>") {
		t.Errorf("%d %s", status, body)
	}
	var refusal *mac.Refusal
	if got := <-result; !errors.As(got.err, &refusal) || refusal.Reason != "access_denied" {
		t.Errorf("got %v", got.err)
	}
}

func TestTheListenerDoesNotWaitForEver(t *testing.T) {
	_, result := waiting(t, mac.AttemptLife)
	select {
	case got := <-result:
		if !errors.Is(got.err, mac.ErrAttemptOver) {
			t.Errorf("got %v", got.err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits on")
	}

	listener, err := mac.Listen(t.Context())
	errtest.None(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listener.Receive(ctx, client(t, &fakeSite{}).Begin("google", listener.Callback())); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
}
