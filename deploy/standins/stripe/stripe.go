// Package stripe stands in for Stripe in the local stack and in tests: the part of
// its API (version 2026-03-25.dahlia) that we call, the hosted pages, and signed
// webhooks, on one loopback listener. See README.md.
//
// Its clock can be advanced: renewals, failed payments and cancellations then happen, each
// at its own time. No money moves, but everybody's billing is open to all who can reach it:
// Start refuses every address, and every webhook, that is not on this machine or in a
// cluster of tests.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"fledge.dev/deploy/standins/loopback"
	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/deploy/standins/stripe/internal/api"
	"fledge.dev/deploy/standins/stripe/internal/hosted"
	"fledge.dev/deploy/standins/stripe/internal/webhooks"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/hostname"
)

// The local stack's settings. None of them protects anything.
const (
	SecretKey      = "sk_test_fledgeLocalNotASecret"  // not-a-secret
	PublishableKey = "pk_test_fledgeLocalNotASecret"  // not-a-secret
	WebhookSecret  = "whsec_fledgeLocalNotASecret"    // not-a-secret
	OldSecret      = "whsec_fledgeLocalOldNotASecret" // not-a-secret
)

// AccountID is the account that the stand-in is unless Options name another.
const AccountID = "acct_fledgeLocal"

// Options configures Start.
type Options struct {
	// Addr is the loopback host:port to listen on; port 0 takes a free one.
	Addr string
	// InCluster lets Addr be any interface's, see loopback.Listen.
	InCluster bool
	// URL is where browsers find the hosted pages. Defaults to the address listened on.
	URL string
	// WebhookURL takes the events, on this machine or in this cluster; empty keeps them undelivered.
	WebhookURL string
	// Endpoint is the webhook endpoint that callers are told of. Its URL defaults to WebhookURL.
	Endpoint Endpoint
	// NoDefaultPortal refuses a portal without a configuration, as live mode does until somebody
	// has saved one in the dashboard.
	NoDefaultPortal bool
	// NoTax has Stripe Tax not be set up.
	NoTax bool
	// SecretKey is what callers must send, WebhookSecret signs events, OldSecret
	// too when a test asks for it. They default to the constants.
	SecretKey, WebhookSecret, OldSecret string
	// AccountID is whose stand-in it is. Defaults to AccountID.
	AccountID string
	// Products and Prices default to Catalogue.
	Products []Product
	Prices   []Price
	// Business is the name on the pages. Defaults to Fledge.
	Business string
	// StateFile keeps everything over restarts; empty keeps it in memory.
	StateFile string
	// EndUnpaid makes subscriptions that could not be collected "unpaid" instead of
	// "canceled".
	EndUnpaid bool
	// Retry are the pauses between attempts to deliver an event; the last repeats.
	// Defaults to 200 ms up to 5 s.
	Retry []time.Duration
	// Clock is the real time, which also signs. Defaults to the machine's.
	Clock clock.Clock
	// Log receives the server's own errors. Defaults to silence.
	Log *slog.Logger
}

// Server is a running stand-in. Its methods may be used while it serves.
type Server struct {
	url     string
	account *account.Account
	api     *api.Server
	sender  *webhooks.Sender
	http    *loopback.Server
	tick    context.CancelFunc
	ticking sync.WaitGroup
	closing sync.Once
	closed  error
}

// Start listens and serves until Close. It returns when requests are answered.
func Start(ctx context.Context, opts Options) (*Server, error) {
	opts.complete()
	if err := requireLocal(opts.WebhookURL); err != nil {
		return nil, fmt.Errorf("stripe stand-in: %w", err)
	}
	listener, err := loopback.Listen(ctx, opts.Addr, opts.InCluster)
	if err != nil {
		return nil, fmt.Errorf("stripe stand-in: %w", err)
	}
	s := &Server{}
	if s.url, err = loopback.URL(opts.URL, listener); err != nil {
		return nil, errors.Join(fmt.Errorf("stripe stand-in: %w", err), listener.Close())
	}
	s.account, err = account.Open(account.Options{
		Clock: opts.Clock, StateFile: opts.StateFile, ID: opts.AccountID, Endpoint: opts.Endpoint, NoDefaultPortal: opts.NoDefaultPortal, BaseURL: s.url, Products: opts.Products, Prices: opts.Prices,
		EndUnpaid: opts.EndUnpaid, NoTax: opts.NoTax,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stripe stand-in: %w", err), listener.Close())
	}
	s.api = api.New(s.account, opts.SecretKey, opts.Clock.Now)
	s.sender = webhooks.New(webhooks.Options{
		URL: opts.WebhookURL, Secret: opts.WebhookSecret, OldSecret: opts.OldSecret, Now: opts.Clock.Now, Retry: opts.Retry,
		Acknowledged: s.account.Acknowledged,
	})
	s.sender.Send(s.account.Publish(s.sender.Send))
	s.http = loopback.Serve(listener, s.handler(opts.Business), opts.Log)
	s.keepTime(opts.Log)
	return s, nil
}

func (o *Options) complete() {
	for field, otherwise := range map[*string]string{
		&o.SecretKey: SecretKey, &o.WebhookSecret: WebhookSecret, &o.OldSecret: OldSecret, &o.Business: "Fledge", &o.AccountID: AccountID,
	} {
		if *field == "" {
			*field = otherwise
		}
	}
	if o.Products == nil && o.Prices == nil {
		o.Products, o.Prices = Catalogue()
	}
	if o.Retry == nil {
		o.Retry = []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second}
	}
	if o.Endpoint.URL == "" {
		o.Endpoint.URL = o.WebhookURL
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// requireLocal accepts no address at all, or one on this machine or in this cluster.
func requireLocal(address string) error {
	u, err := url.Parse(address)
	if err == nil && (address == "" || (u.Scheme == "http" && (hostname.IsLoopback(u.Hostname()) || hostname.IsCluster(u.Hostname())))) {
		return nil
	}
	return fmt.Errorf("refusing to deliver events to %q: they stay on this machine or in this cluster", address)
}

// URL is the base of the pages as browsers reach them, without a trailing slash.
func (s *Server) URL() string { return s.url }

// Close ends the server; requests under way get until ctx is done. Events that
// were not delivered wait in the state file. A second call changes nothing and
// answers what the first did.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.end(ctx) })
	return s.closed
}

func (s *Server) end(ctx context.Context) error {
	s.tick()
	s.ticking.Wait()
	s.SetFault(Fault{}) // a delayed answer must not hold the shutdown up
	err := s.http.Close(ctx)
	s.sender.Close()
	return errors.Join(err, s.account.Close())
}

// keepTime does what falls due while nobody asks.
func (s *Server) keepTime(log *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	s.tick = cancel
	s.ticking.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := s.account.Read(ctx, func(*account.Tx) {}); err != nil && ctx.Err() == nil {
				log.Error("stripe stand-in", "error", err)
			}
		}
	})
}

func (s *Server) handler(business string) http.Handler {
	pages := http.NewServeMux()
	pages.Handle("/control/", s.controls())
	pages.Handle("/", hosted.New(hosted.Options{Account: s.account, Business: business, Deliveries: s.sender.Stats}))
	people := http.NewCrossOriginProtection().Handler(pages)
	return loopback.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			s.api.ServeHTTP(w, r)
			return
		}
		people.ServeHTTP(w, r)
	}))
}
