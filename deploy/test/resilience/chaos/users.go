package chaos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
)

// The kinds of writes, besides those of visitors.
const (
	ticket = "open a ticket"
	spend  = "spend credits"
	signIn = "sign in"
)

const (
	// Tickets of one person wait for each other: there are enough people.
	howManyBuyers  = 12
	howManyDevices = 4
	tryFor         = 6 * time.Second // somebody repeats what may be repeated
	tryAgain       = 200 * time.Millisecond
)

// users are those who do all that the product is for.
type users struct {
	site    *load.Site
	buyers  []*person.Person
	devices []*device
}

// gather has everybody sign in; buyers have credits.
func (u *users) gather(ctx context.Context, r *Run) (load.Mix, error) {
	urls := r.product.URLs()
	err := until(ctx, "the admin signs in", func() (_ bool, err error) {
		u.site, err = load.Open(ctx, urls.Site, stack.AdminEmail, load.ByWayOf(""))
		return err == nil, err
	})
	for i := 0; i < howManyBuyers && err == nil; i++ {
		buyer, bought := person.New(urls.Site), false
		u.buyers = append(u.buyers, buyer)
		err = until(ctx, "a buyer has credits", func() (bool, error) {
			if buyer.ID() == "" {
				return false, buyer.SignIn(ctx, fmt.Sprintf("buyer-%d@fledge.test", i))
			}
			if !bought {
				err := stacktest.Buy(ctx, buyer, urls.Site, urls.Stripe)
				bought = err == nil
				return false, err
			}
			n, err := r.databases.number(ctx, "billing", "SELECT count(*) FROM credit_accounts WHERE user_id = $1 AND balance > 0", buyer.ID())
			return n > 0, err
		})
	}
	for i := 0; i < howManyDevices && err == nil; i++ {
		d := &device{site: urls.Site, owner: u.buyers[i]}
		u.devices = append(u.devices, d)
		err = until(ctx, "a Mac is signed in", func() (bool, error) { err := d.begin(ctx); return err == nil, err })
	}
	if err != nil {
		return nil, err
	}
	return u.mix(), nil
}

func (u *users) mix() load.Mix {
	join, approve := u.site.Join("everybody"), u.site.Approve("everybody")
	return load.Deck(
		join, u.read("/api/get-latest-downloads"), u.spend, join, u.ticket, load.Renew(u.site.Admin), join, approve, u.spend, u.read("/api/get-plans"),
		join, u.rotate, u.spend, join, u.read("/api/get-credit-balance"), approve, join, u.renew, u.spend, u.signIn,
	)
}

func (u *users) buyer(n int) *person.Person { return u.buyers[n%len(u.buyers)] }

func (u *users) read(path string) load.Mix {
	return func(n int) load.Request { return load.Read(u.buyer(n), path)(n) }
}

func (u *users) renew(n int) load.Request { return load.Renew(u.buyer(n))(n) }

func (u *users) rotate(n int) load.Request {
	return load.Request{Name: "rotate a token", Do: u.devices[n%len(u.devices)].rotate}
}

func (u *users) ticket(n int) load.Request {
	key := fmt.Sprint(n)
	body := map[string]any{"category": "bug", "message": "It broke at " + key, "subject": key, "idempotencyKey": key}
	return load.Request{Name: ticket, Key: key, RepeatFor: tryFor, Do: func(ctx context.Context) error {
		return u.buyer(n).Call(ctx, http.MethodPost, "/api/create-support-ticket", body, nil)
	}}
}

func (u *users) spend(n int) load.Request { return spendOf(u.buyer(n), fmt.Sprint(n), 0.01, tryFor) }

func spendOf(who *person.Person, key string, amount float64, repeatFor time.Duration) load.Request {
	body := map[string]any{"amount": amount, "description": "Generated screen", "idempotencyKey": key}
	return load.Request{Name: spend, Key: key, RepeatFor: repeatFor, Do: func(ctx context.Context) error {
		return who.Call(ctx, http.MethodPost, "/api/consume-credits", body, nil)
	}}
}

func (u *users) signIn(n int) load.Request {
	email := fmt.Sprintf("newcomer-%d@fledge.test", n)
	return load.Request{Name: signIn, Key: email, Do: func(ctx context.Context) error { return person.New(u.site.Origin).SignIn(ctx, email) }}
}

// stillSignedIn: nobody is signed out who holds a token that was acknowledged.
func (u *users) stillSignedIn(ctx context.Context, _ *Run) (figure string, problems []string, err error) {
	for i, d := range u.devices {
		err := until(ctx, "a device rotates its token", func() (bool, error) { err := d.rotate(ctx); return err == nil, err })
		if err != nil {
			problems = append(problems, fmt.Sprintf("device %d: %v", i, err))
		}
	}
	return fmt.Sprint(len(u.devices)), problems, nil
}
