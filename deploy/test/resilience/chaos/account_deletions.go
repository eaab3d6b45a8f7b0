package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
	"fledge.dev/services/platform/erasuretest"
)

const (
	leave          = "delete an account"
	howManyLeavers = 8
	// leaverTicket begins the keys of the tickets of leavers, which go with them.
	leaverTicket = "leaver-"
	// enoughFor is the share of the time in which all of them leave.
	enoughFor = 0.8
)

// leaver has a plan, a ticket and a place on the waitlist, and deletes the account.
type leaver struct {
	*person.Person
	email        string
	subscription string // at Stripe
	asked        atomic.Bool
}

// gatherLeavers has them come. They are erased as soon as they leave: [withoutGrace].
func gatherLeavers(ctx context.Context, r *Run) (all []*leaver, err error) {
	urls := r.product.URLs()
	for i := 0; i < howManyLeavers && err == nil; i++ {
		l := &leaver{Person: person.New(urls.Site), email: fmt.Sprintf("leaver-%d@fledge.test", i)}
		all = append(all, l)
		r.gone = append(r.gone, l.email)
		for _, step := range []func() error{
			func() error { return l.SignIn(ctx, l.email) },
			func() error {
				return l.Call(ctx, http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": l.email, "source": "cta_section"}, nil)
			},
			func() error {
				key := fmt.Sprint(leaverTicket, i)
				body := map[string]any{"category": "bug", "message": "It broke", "subject": key, "idempotencyKey": key}
				return l.Call(ctx, http.MethodPost, "/api/create-support-ticket", body, nil)
			},
			func() error { return stacktest.Buy(ctx, l.Person, urls.Site, urls.Stripe) },
		} {
			if err = errors.Join(err, until(ctx, l.email+" comes", func() (bool, error) { err := step(); return err == nil, err })); err != nil {
				return nil, err
			}
		}
		err = until(ctx, l.email+" has a plan", func() (bool, error) {
			ids, err := r.databases.column(ctx, "billing", "SELECT id FROM subscriptions WHERE user_id = $1", l.ID())
			if len(ids) > 0 {
				l.subscription = ids[0]
			}
			return l.subscription != "", err
		})
	}
	return all, err
}

// withoutGrace has whoever leaves erased at once.
const withoutGrace = "DELETION_GRACE=0s"

// leaving has the leavers leave one after the other, between what others do.
func leaving(all []*leaver, o Options, others load.Mix) load.Mix {
	every := max(1, int(enoughFor*float64(o.Rate)*o.For.Seconds())/len(all))
	return func(n int) load.Request {
		if i := n / every; n%every == 0 && i < len(all) {
			return all[i].leave()
		}
		return others(n)
	}
}

func (l *leaver) leave() load.Request {
	return load.Request{Name: leave, Key: l.ID(), RepeatFor: tryFor, Do: func(ctx context.Context) error {
		again := l.asked.Swap(true)
		err := l.Call(ctx, http.MethodPost, "/api/auth/delete-account", map[string]any{}, nil)
		var refused *person.APIError
		if again && errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
			return nil // It was done, and the answer got lost.
		}
		return err
	}}
}

// erased: whoever left was erased, nobody else was, and what they paid for has ended.
func erased(all func() []*leaver) []Check {
	finished := kept(leave, "identity", "SELECT user_id::text FROM erasures WHERE finished_at IS NOT NULL")
	return []Check{
		{Name: finished.Name, Look: func(ctx context.Context, r *Run) (string, []string, error) {
			var figure string
			var problems []string
			err := until(ctx, "who left is erased", func() (_ bool, err error) {
				figure, problems, err = finished.Look(ctx, r)
				return len(problems) == 0, err
			})
			if err != nil && len(problems) > 0 {
				err = nil // They say it.
			}
			return figure, problems, err
		}},
		{Name: "nothing is left of who left", Look: func(ctx context.Context, r *Run) (string, []string, error) { return nothingLeft(ctx, r, all()) }},
		{Name: "who left is in no stream", Look: func(ctx context.Context, r *Run) (string, []string, error) { return notInStreams(ctx, r, all()) }},
		{Name: "who left pays no more", Look: func(ctx context.Context, r *Run) (string, []string, error) { return endedAtStripe(ctx, r, all()) }},
	}
}

// left are those whose deletion was acknowledged.
func left(r *Run, all []*leaver) (gone []*leaver) {
	for _, l := range all {
		if len(r.ledger.Acked(leave).Compare([]string{l.ID()}).Unasked) == 0 {
			gone = append(gone, l)
		}
	}
	return gone
}

func nothingLeft(ctx context.Context, r *Run, all []*leaver) (figure string, problems []string, err error) {
	var addresses []string
	for _, l := range left(r, all) {
		addresses = append(addresses, l.email)
	}
	if len(addresses) == 0 {
		return "", []string{"nobody left, which proves nothing"}, nil
	}
	pools := map[string]*pgxpool.Pool{}
	for _, service := range services.Names() {
		pools[service] = r.databases.pools[service]
	}
	sessions, err := pgxpool.New(ctx, r.product.DatabaseURL("kratos"))
	if err != nil {
		return "", nil, err
	}
	defer sessions.Close()
	pools["kratos"] = sessions
	err = until(ctx, "the addresses are in no database", func() (bool, error) {
		problems = nil
		for name, pool := range pools {
			places, err := erasuretest.Find(ctx, pool, addresses...)
			if err != nil {
				return false, err
			}
			for _, place := range places {
				problems = append(problems, name+" has an address in "+place)
			}
		}
		return len(problems) == 0, nil
	})
	if len(problems) > 0 {
		err = nil
	}
	return fmt.Sprintf("%d addresses in %d databases", len(addresses), len(pools)), problems, err
}

func endedAtStripe(ctx context.Context, r *Run, all []*leaver) (figure string, problems []string, err error) {
	dashboard := sdk.NewClient(stripe.SecretKey, sdk.WithBackends(sdk.NewBackendsWithConfig(&sdk.BackendConfig{
		URL: sdk.String(r.product.URLs().Stripe), LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull}, EnableTelemetry: sdk.Bool(false),
	})))
	gone := left(r, all)
	for _, l := range gone {
		s, err := dashboard.V1Subscriptions.Retrieve(ctx, l.subscription, nil)
		if err != nil {
			return "", nil, err
		}
		if s.Status != sdk.SubscriptionStatusCanceled {
			problems = append(problems, fmt.Sprintf("%s of %s is %s", s.ID, l.email, s.Status))
		}
	}
	return fmt.Sprint(len(gone), " subscriptions"), problems, nil
}
