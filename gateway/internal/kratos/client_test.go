package kratos_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/services/platform/fault"
)

func TestASickKratosIsLeftAlone(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	for range 20 {
		if _, err := client.SignIn(t.Context(), kratos.Visitor{}, "google", "/profile"); !errors.Is(err, fault.Unavailable) {
			t.Fatalf("got %v", err)
		}
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("%d calls, want 5", n)
	}
}

func TestABrowserThatLeavesDoesNotSpeakAgainstKratos(t *testing.T) {
	var calls atomic.Int32
	arrived := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= 10 {
			arrived <- struct{}{}
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	for range 10 {
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- client.Ready(ctx) }()
		select {
		case <-arrived:
		case err := <-done:
			t.Fatalf("Kratos was not asked: %v", err)
		}
		leave()
		if err := <-done; err == nil {
			t.Error("there was an answer")
		}
	}
	if err := client.Ready(t.Context()); err != nil {
		t.Errorf("after ten that left: %v", err)
	}
}

func TestAnswersThatAreNoneAreAnOutage(t *testing.T) {
	for name, body := range map[string]string{"a page": "<html>", "nothing": "", "no id": "{}", "another shape": `{"id":7}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		if _, err := newClient(t, server.URL).SignIn(t.Context(), kratos.Visitor{}, "google", "/profile"); !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

func newClient(t *testing.T, base string) *kratos.Client {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return kratos.NewClient(u, &url.URL{Scheme: "https", Host: "fledge.example"}, slog.New(slog.DiscardHandler))
}
