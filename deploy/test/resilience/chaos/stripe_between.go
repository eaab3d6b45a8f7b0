package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
	"golang.org/x/sync/errgroup"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/standins/stripe"
)

// open starts Stripe, with us between it and the product in both directions, and returns
// its address as billing is to see it.
func (m *market) open(ctx context.Context, r *Run) (address string, err error) {
	hooks := httptest.NewServer(deliveries(r))
	r.atEnd(func() error { hooks.Close(); return nil })
	m.stripe, err = stripe.Start(ctx, stripe.Options{
		Addr: "127.0.0.1:0", WebhookURL: hooks.URL + stack.StripeWebhook, Retry: []time.Duration{100 * time.Millisecond, 500 * time.Millisecond},
	})
	if err != nil {
		return "", err
	}
	r.atEnd(func() error { return m.stripe.Close(context.Background()) })
	m.dashboard = sdk.NewClient(stripe.SecretKey, sdk.WithBackends(sdk.NewBackendsWithConfig(&sdk.BackendConfig{
		URL: sdk.String(m.stripe.URL()), LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull}, EnableTelemetry: sdk.Bool(false),
	})))
	b := &between{run: r, begin: func(f Fault) (func() error, error) { return r.nemesis.begin(ctx, f) }, calls: map[string]int{}}
	for _, f := range r.scenario.Phases(r.opts)[0].Faults {
		if f.After != "" {
			b.waiting = append(b.waiting, f)
		}
	}
	calls := httptest.NewServer(proxy(m.stripe.URL, b.cut))
	r.atEnd(func() error { calls.Close(); return b.end() })
	return calls.URL, nil
}

// proxy passes requests on. The product is killed meanwhile: whose connection broke is no
// news.
func proxy(to func() string, modify func(*http.Response) error) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			target, _ := url.Parse(to()) // our own servers have good addresses
			r.SetURL(target)
		},
		ModifyResponse: modify,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
}

const delivery = "a webhook's event"

// deliveries passes Stripe's on to the gateway and notes those that were acknowledged: from
// then on Stripe forgets them.
func deliveries(run *Run) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a part of one is refused for its signature
		var event struct{ ID string }
		_ = json.Unmarshal(body, &event) // what is no event is not acknowledged
		run.ledger.Tried(delivery).Add(event.ID)
		began := time.Now()
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy(func() string { return run.product.GatewayURL() }, func(answer *http.Response) error {
			if answer.StatusCode == http.StatusOK {
				run.ledger.Acked(delivery).Add(event.ID)
				run.count("deliveries acknowledged", 1)
				run.took("an acknowledgement to Stripe", time.Since(began))
			}
			return nil
		}).ServeHTTP(w, r)
		run.count("deliveries", 1)
	})
}

// between has billing killed right after Stripe has done what some of its calls asked for.
type between struct {
	run   *Run
	begin func(Fault) (end func() error, err error)

	mu      sync.Mutex
	calls   map[string]int // so far
	waiting []Fault        // for a call
	repairs errgroup.Group
}

const cutOff = "billing killed right after "

// cut is called when Stripe has done what it was asked and nobody knows it yet.
func (b *between) cut(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	call := answer.Request.Method + " " + answer.Request.URL.Path
	b.mu.Lock()
	b.calls[call]++
	i := slices.IndexFunc(b.waiting, func(f Fault) bool { return f.After == call && f.Nth == b.calls[call] })
	if i < 0 {
		b.mu.Unlock()
		return nil
	}
	fault := b.waiting[i]
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.mu.Unlock()
	b.run.count(cutOff+call, 1)
	repair, err := b.begin(fault)
	if err != nil {
		repair = func() error { return err }
	}
	b.repairs.Go(repair)
	return errors.New("the caller is dead")
}

// end tells what went wrong, or which fault met no call.
func (b *between) end() error {
	err := b.repairs.Wait()
	for _, f := range b.waiting {
		err = errors.Join(err, fmt.Errorf("no %s was the %dth, to be cut off", f.After, f.Nth))
	}
	return err
}
