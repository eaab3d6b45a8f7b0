// Package account is a Stripe account in memory: customers, subscriptions, invoices,
// payments and their events, at Stripe's API version 2026-03-25.dahlia. It knows time but
// no HTTP.
//
// Changes happen inside Update, one after the other. Everything that is due by then
// (renewals, drafts to finalize, payments to retry, scheduled cancellations) happens first,
// each at its own time, so that nobody reads an outdated state. Times are seconds since
// 1970, and 0 stands for none; money is in the smallest unit of its currency.
package account

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
)

// APIVersion is the only version of Stripe's API that the stand-in speaks.
const APIVersion = "2026-03-25.dahlia"

// Options configures Open.
type Options struct {
	// Clock is the real time, to which the account's own may be moved ahead.
	Clock clock.Clock
	// StateFile keeps the account over restarts; empty keeps it in memory.
	StateFile string
	// ID is the account's own.
	ID string
	// Endpoint is the only webhook endpoint.
	Endpoint Endpoint
	// NoDefaultPortal refuses a portal without a configuration.
	NoDefaultPortal bool
	// NoTax has Stripe Tax not be set up.
	NoTax bool
	// BaseURL is where the hosted pages are, without a trailing slash.
	BaseURL string
	// Products and Prices are put into the catalogue, over what the file says.
	Products []Product
	Prices   []Price
	// EndUnpaid makes a subscription that could not be collected "unpaid" instead
	// of "canceled".
	EndUnpaid bool
}

// Account is safe for concurrent use.
type Account struct {
	opts  Options
	saver *saver

	mu      sync.Mutex
	state   state
	publish func([]*Event)
}

// state is what the file holds.
type state struct {
	Ahead          time.Duration // how far the account's time is ahead of the real one
	Numbers        int           // of invoices
	Products       table[Product]
	Prices         table[Price]
	Customers      table[Customer]
	Configurations table[Configuration]
	Cards          table[Card]
	Checkouts      table[Checkout]
	Portals        table[Portal]
	Subscriptions  table[Subscription]
	Invoices       table[Invoice]
	Payments       table[Payment]
	Charges        table[Charge]
	Refunds        table[Refund]
	Disputes       table[Dispute]
	Warnings       table[Warning]
	Events         table[Event]
	Answers        table[Answer]
	// Released are the schedules that have been.
	Released []string
}

// Open reads the state file, when there is one.
func Open(opts Options) (*Account, error) {
	a := &Account{opts: opts, publish: func([]*Event) {}}
	if opts.StateFile != "" {
		if err := load(opts.StateFile, &a.state); err != nil {
			return nil, fmt.Errorf("state file: %w", err)
		}
		a.saver = newSaver(opts.StateFile, a.snapshot)
	}
	tx := &Tx{state: &a.state, account: a, at: a.now()}
	for _, product := range opts.Products {
		tx.PutProduct(product)
	}
	for _, price := range opts.Prices {
		tx.PutPrice(price)
	}
	return a, nil
}

// Publish sets the function that gets new events, in their order. It returns the events
// that are not acknowledged yet.
func (a *Account) Publish(publish func([]*Event)) []*Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.publish = publish
	return a.state.Events.All(func(e *Event) bool { return !e.Delivered })
}

// Close writes what has not been written yet.
func (a *Account) Close() error {
	if a.saver == nil {
		return nil
	}
	return a.saver.close()
}

// now needs the lock.
func (a *Account) now() int64 { return a.opts.Clock.Now().Add(a.state.Ahead).Unix() }

// Request is the API call that an update comes from; empty for everything else.
type Request struct {
	ID, IdempotencyKey string
}

// Tx is the account inside of an Update; it must not be kept.
type Tx struct {
	*state
	account *Account
	request Request
	at      int64
	events  []*Event
}

// Now is the account's time.
func (tx *Tx) Now() int64 { return tx.at }

// BaseURL is where the hosted pages are.
func (tx *Tx) BaseURL() string { return tx.account.opts.BaseURL }

// Endpoint is where events are sent (https://docs.stripe.com/api/webhook_endpoints), as people who
// ask are told: where they are really sent is the server's affair.
type Endpoint struct {
	URL string
	// Events are the types; empty for all.
	Events   []string
	Disabled bool
}

// EncodeEndpoints returns the API objects of all endpoints.
func (tx *Tx) EncodeEndpoints() []Object {
	e := tx.account.opts.Endpoint
	status, events := "enabled", e.Events
	if e.Disabled {
		status = "disabled"
	}
	if len(events) == 0 {
		events = []string{"*"}
	}
	if e.URL == "" {
		return nil
	}
	return []Object{{
		"id": "we_local", "object": "webhook_endpoint", "api_version": nil, "application": nil, "created": tx.at, "description": nil,
		"enabled_events": events, "livemode": false, "metadata": tags(nil), "status": status, "url": e.URL,
	}}
}

// EncodeAccount returns the API object of the account itself.
func (tx *Tx) EncodeAccount() Object {
	return Object{
		"id": tx.account.opts.ID, "object": "account", "business_profile": nil, "business_type": nil, "capabilities": Object{},
		"charges_enabled": true, "controller": Object{"type": "account"}, "country": "US", "default_currency": "usd",
		"details_submitted": true, "email": nil, "payouts_enabled": true, "settings": nil, "type": "standard",
	}
}

// Update does work with the account to itself, after all that was due. When it
// returns, the state has been saved and the events are on their way, even if the
// work failed: what it refuses, it must refuse before it changes anything.
func (a *Account) Update(ctx context.Context, request Request, work func(*Tx) error) error {
	_, err := a.run(request, work)
	if a.saver == nil {
		return err
	}
	return errors.Join(err, a.saver.save(ctx))
}

// Read is an Update that changes nothing beyond what was due.
func (a *Account) Read(ctx context.Context, read func(*Tx)) error {
	events, _ := a.run(Request{}, func(tx *Tx) error { read(tx); return nil })
	if a.saver == nil || events == 0 {
		return nil
	}
	return a.saver.save(ctx)
}

// run does work with the lock, and says how many events that made.
func (a *Account) run(request Request, work func(*Tx) error) (events int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	tx := &Tx{state: &a.state, account: a, at: a.now()}
	tx.catchUp(tx.at)
	tx.request = request
	err = work(tx)
	a.publish(tx.events)
	return len(tx.events), err
}

// Advance moves the account's time on by months of the calendar and a duration.
func (a *Account) Advance(ctx context.Context, months int, by time.Duration) error {
	if months < 0 || by < 0 {
		return errors.New("time does not run backwards")
	}
	return a.Update(ctx, Request{}, func(tx *Tx) error {
		to := addMonths(tx.at, months) + int64(by/time.Second)
		a.state.Ahead += time.Duration(to-tx.at) * time.Second
		tx.catchUp(to)
		return nil
	})
}

// Acknowledged records that the receiver took an event. It is written along with
// the next change: at worst the event is sent once more after a restart.
func (a *Account) Acknowledged(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if event := a.state.Events.Get(id); event != nil {
		event.Delivered = true
	}
}
