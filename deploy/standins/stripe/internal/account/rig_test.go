package account_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

const (
	pro      = "price_pro"
	business = "price_business"
	hour     = time.Hour
	days     = 24 * time.Hour
)

// start is a day that many months do not have.
var start = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)

// rig is an account on a clock that stands still.
type rig struct {
	*testing.T
	*account.Account
	clock    *clock.Fake
	customer string
	events   []*account.Event
}

func options() account.Options {
	return account.Options{
		Clock: clock.NewFake(start), BaseURL: "http://127.0.0.1:1",
		Products: []account.Product{{ID: "prod_pro", Name: "Pro"}, {ID: "prod_business", Name: "Business"}},
		Prices: []account.Price{
			{ID: pro, Product: "prod_pro", Amount: 2500, Currency: "usd", Interval: "month"},
			{ID: business, Product: "prod_business", Amount: 5000, Currency: "usd", Interval: "month"},
			{ID: "price_euro", Product: "prod_pro", Amount: 2500, Currency: "eur", Interval: "month"},
			{ID: "price_old", Product: "prod_pro", Amount: 2500, Currency: "usd", Interval: "month", Archived: true},
		},
	}
}

func open(t *testing.T, change ...func(*account.Options)) *rig {
	t.Helper()
	opts := options()
	for _, f := range change {
		f(&opts)
	}
	a, err := account.Open(opts)
	errtest.None(t, err)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{T: t, Account: a, clock: opts.Clock.(*clock.Fake)}
	a.Publish(func(events []*account.Event) { r.events = append(r.events, events...) })
	r.do(func(tx *account.Tx) error {
		customer, err := tx.CreateCustomer(account.Details{})
		r.customer = customer.ID
		return err
	})
	return r
}

func (r *rig) do(work func(*account.Tx) error) {
	r.Helper()
	errtest.None(r, r.Update(r.Context(), account.Request{}, work))
}

// refused returns the code of the error that work must end with.
func (r *rig) refused(work func(*account.Tx) error) string {
	r.Helper()
	var refusal *account.Error
	if err := r.Update(r.Context(), account.Request{}, work); !errors.As(err, &refusal) {
		r.Fatalf("got %v, want a refusal", err)
	}
	return refusal.Code
}

func (r *rig) advance(months int, by time.Duration) {
	r.Helper()
	errtest.None(r, r.Advance(r.Context(), months, by))
}

// subscribe starts a subscription and forgets the events of it.
func (r *rig) subscribe(price string) string {
	r.Helper()
	var id string
	r.do(func(tx *account.Tx) error {
		s, err := tx.Subscribe(account.Start{Customer: r.customer, Price: price, Card: account.CardWorks, Metadata: map[string]string{"plan": price}})
		if err == nil {
			id = s.ID
		}
		return err
	})
	r.events = nil
	return id
}

// with changes a subscription.
func (r *rig) with(id string, work func(*account.Tx, *account.Subscription) error) {
	r.Helper()
	r.do(func(tx *account.Tx) error { return work(tx, tx.Subscriptions.Get(id)) })
}

// look returns a copy of a subscription.
func (r *rig) look(id string) (s account.Subscription) {
	r.Helper()
	errtest.None(r, r.Read(r.Context(), func(tx *account.Tx) { s = *tx.Subscriptions.Get(id) }))
	return s
}

// invoices returns copies of all invoices, the oldest first.
func (r *rig) invoices() (out []account.Invoice) {
	r.Helper()
	if err := r.Read(r.Context(), func(tx *account.Tx) {
		for _, i := range tx.Invoices.All(func(*account.Invoice) bool { return true }) {
			out = append(out, *i)
		}
	}); err != nil {
		r.Fatal(err)
	}
	return out
}

// wantEvents compares the events since the last call, in order.
func (r *rig) wantEvents(want ...string) {
	r.Helper()
	var got []string
	for _, e := range r.events {
		got = append(got, e.Type)
	}
	r.events = nil
	if !slices.Equal(got, want) {
		r.Errorf("events\n got %v\nwant %v", got, want)
	}
}

// field reads a path of an event's object.
func field(t *testing.T, e *account.Event, path ...string) any {
	t.Helper()
	var value any
	errtest.None(t, json.Unmarshal(e.Object, &value))
	for _, name := range path {
		value = value.(map[string]any)[name]
	}
	return value
}

func date(t int64) string { return time.Unix(t, 0).UTC().Format("2006-01-02 15:04") }
