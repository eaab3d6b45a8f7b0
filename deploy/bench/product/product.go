package product

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/test/harness/metrics"
)

// signIn adds people until there are n, who all have fresh access tokens then.
func (b *bench) signIn(ctx context.Context, n int) error {
	have := len(b.people)
	for i := have; i < n; i++ {
		b.people = append(b.people, person.New(b.URLs().Site))
	}
	return together(n, func(i int) error {
		if i < have {
			return b.people[i].Renew(ctx)
		}
		return b.people[i].SignIn(ctx, fmt.Sprintf("person-%d@bench.test", i))
	})
}

// tokens are the access tokens of the first n people.
func (b *bench) tokens(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = b.people[i].Token()
	}
	return tokens
}

// refreshTokens replaces tokens by those of a new Mac for each of the first people.
func (b *bench) refreshTokens(ctx context.Context, tokens []string) error {
	return together(len(tokens), func(i int) error {
		var handed struct {
			Session struct {
				RefreshToken string `json:"refresh_token"`
			} `json:"session"`
		}
		err := b.people[i].Call(ctx, http.MethodPost, "/api/auth/hand-off", map[string]string{"callback": "fledge://auth/callback"}, &handed)
		tokens[i] = handed.Session.RefreshToken
		return err
	})
}

// together does n things, as many at a time as Kratos does quickly.
func together(n int, do func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(16)
	for i := range n {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}

// fund is a statement that gives everybody more credits than they will spend.
const fund = `SELECT credits_grant(id, now(), 'adjust', format('bench/%s', id), '', false, '', 'For a measurement', 1000000000000, now(), now() + interval '1 day', now() + interval '1 day')
	FROM unnest($1::uuid[]) id`

// sql runs a statement in a service's database as the service does, but for its limit to
// how long one may take.
func (b *bench) sql(service, statement string, args ...any) func(context.Context) error {
	return func(ctx context.Context) error {
		db, err := pgx.Connect(ctx, b.DatabaseURL(service))
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, "SET statement_timeout = 0")
		if err == nil {
			_, err = db.Exec(ctx, statement, args...)
		}
		return errors.Join(err, db.Close(context.WithoutCancel(ctx)))
	}
}

// cpu is how many seconds each program has computed so far, by its own account.
func (b *bench) cpu(ctx context.Context) map[string]float64 {
	used := map[string]float64{}
	for _, name := range programs() {
		families, _ := metrics.Scrape(ctx, b.MetricsURLs()[name])
		used[name], _ = families.Value("process_cpu_seconds_total")
	}
	return used
}
