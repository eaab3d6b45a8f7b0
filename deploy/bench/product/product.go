package product

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
)

const (
	// clients is how many wait for an answer at the same time.
	clients = 64
	// signingIn at the same time is as much as Kratos does quickly.
	signingIn = 16
	// appLink is where the Mac app gets its sessions.
	appLink = "fledge://auth/callback"
)

// product is the whole product as processes of their own, all with mutual TLS, and
// people who are signed in.
type product struct {
	*stack.Stack
	admin  *person.Person
	people []*person.Person
	// peers are processes of others that are measured beside it, by their ids.
	peers map[int]string
	// dataDir is PostgreSQL's.
	dataDir string
}

// programs are the product's own processes.
func programs() []string { return append(services.Names(), "gateway") }

// startProduct starts what opts describe. All the load comes from one address, so the
// rates of one address are out of reach; they are counted all the same.
func startProduct(ctx context.Context, opts stack.Options) (*product, error) {
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits()}
	running, err := stack.Start(ctx, opts)
	if err != nil {
		return nil, err
	}
	p := &product{Stack: running, admin: person.New(running.URLs().Site), dataDir: opts.State.Path("postgres"), peers: map[int]string{}}
	if err := p.admin.SignIn(ctx, stack.AdminEmail); err != nil {
		return nil, errors.Join(err, running.Stop(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// signIn adds people until there are n, who all have fresh access tokens then.
func (p *product) signIn(ctx context.Context, n int) error {
	have := len(p.people)
	err := together(n, func(i int) error {
		if i < have {
			return p.people[i].Renew(ctx)
		}
		return nil
	})
	if err != nil {
		return err
	}
	more := make([]*person.Person, max(0, n-have))
	err = together(len(more), func(i int) error {
		more[i] = person.New(p.URLs().Site)
		return more[i].SignIn(ctx, fmt.Sprintf("person-%d@bench.test", have+i))
	})
	p.people = append(p.people, more...)
	return err
}

// tokens are the access tokens of the first n people.
func (p *product) tokens(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = bearer(p.people[i])
	}
	return tokens
}

func bearer(p *person.Person) string {
	header := http.Header{}
	p.Authorize(&http.Request{Header: header})
	const scheme = "Bearer "
	return header.Get("Authorization")[len(scheme):]
}

// refreshTokens are those of one Mac for each of the first n people.
func (p *product) refreshTokens(ctx context.Context, n int) ([]string, error) {
	tokens := make([]string, n)
	return tokens, together(n, func(i int) error {
		var handed struct {
			Session struct {
				RefreshToken string `json:"refresh_token"`
			} `json:"session"`
		}
		err := p.people[i].Call(ctx, http.MethodPost, "/api/auth/hand-off", map[string]string{"callback": appLink}, &handed)
		tokens[i] = handed.Session.RefreshToken
		return err
	})
}

// fund gives everybody more credits than they will spend.
func (p *product) fund(ctx context.Context) error {
	return p.inDatabase(ctx, "billing", func(db *pgx.Conn) error {
		now := time.Now()
		for _, someone := range p.people {
			_, err := db.Exec(ctx, `SELECT credits_grant($1::uuid, $2, 'adjust', format('bench/%s', $1::uuid), '', false, '', 'For a measurement', 1000000000000, $2, $3, $3)`,
				someone.ID(), now, now.Add(24*time.Hour))
			if err != nil {
				return fmt.Errorf("credits: %w", err)
			}
		}
		return nil
	})
}

// inDatabase lends a connection to a service's database as the service has it.
func (p *product) inDatabase(ctx context.Context, service string, use func(*pgx.Conn) error) error {
	db, err := pgx.Connect(ctx, p.DatabaseURL(service))
	if err != nil {
		return err
	}
	return errors.Join(use(db), db.Close(context.WithoutCancel(ctx)))
}

// together does n things, a few at a time.
func together(n int, do func(i int) error) error {
	var wg sync.WaitGroup
	slots := make(chan struct{}, signingIn)
	errs := make([]error, n)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() { errs[i] = do(i); <-slots })
	}
	wg.Wait()
	return errors.Join(errs...)
}
