package product

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// The loads of pgbench.
func (b *bench) plainInsert(clients int) Load {
	return b.script("pgbench: INSERT of one row", clients, "-f", "insert.sql")
}

func (b *bench) plainSelect() Load {
	return b.script("pgbench: SELECT by key", clients, "-b", "select-only")
}

const signUpRoute = "POST /api/add-waitlist-user"

func (b *bench) signUpRequests(name string, connections int) Load {
	return b.opts.requests(name, connections, request{
		Method: http.MethodPost, URL: b.GatewayURL() + "/api/add-waitlist-user", Body: `{"email":"%n@bench.test","source":"hero_section"}`,
	})
}

// signUp is the launch: everybody at the form.
func (b *bench) signUp(context.Context) (Group, error) {
	ours := b.signUpRequests(signUpRoute, clients)
	ours.Goal = Goal{Rate: 0.55, P99: 3}
	return Group{Name: "Sign-up", Loads: []Load{b.plainInsert(clients), ours}}, nil
}

// alone is the same for one client that has the machine to itself.
func (b *bench) alone(context.Context) (Group, error) {
	ours := b.signUpRequests(signUpRoute, 1)
	ours.Goal.P50 = 2
	return Group{Name: "Sign-up, one client", Loads: []Load{b.plainInsert(1), ours}}, nil
}

// outbox is what an event costs its writer. NATS is stopped meanwhile, so that publishing
// them takes no CPU from either.
func (b *bench) outbox(context.Context) (Group, error) {
	const writers = 32
	nats, err := b.Program("nats")
	if err != nil {
		return Group{}, err
	}
	forget := b.sql("waitlist", "DELETE FROM outbox WHERE source = 'bench'")
	with := b.script("the same with a row in the outbox", writers, "-f", "outbox.sql")
	with.Before = nats.Stop
	with.After = func(ctx context.Context) error { return errors.Join(forget(ctx), nats.Start(ctx)) }
	with.Goal.Rate = 0.8
	return Group{Name: "An event in the outbox", Loads: []Load{b.plainInsert(writers), with}}, nil
}

// get asks for a path, with an access token of each of some people in turn.
func (b *bench) get(name, path string, tokens ...string) Load {
	return b.opts.requests(name, clients, request{Method: http.MethodGet, URL: b.GatewayURL() + path, Tokens: tokens})
}

// reads are what a signed-in person's client asks all the time.
func (b *bench) reads(ctx context.Context) (Group, error) {
	if err := b.signIn(ctx, clients); err != nil {
		return Group{}, err
	}
	tokens := b.tokens(clients)
	user := b.get("GET /api/auth/user", "/api/auth/user", tokens...)
	user.Goal.Rate = 0.25
	chain := request{
		Method: http.MethodPost, URL: b.GatewayURL() + "/api/auth/token", Body: `{"grant_type":"refresh_token","refresh_token":"%t"}`,
		Tokens: make([]string, clients),
	}
	refreshing := b.opts.requests("POST /api/auth/token, refreshing", clients, chain)
	refreshing.Before = func(ctx context.Context) error { return b.refreshTokens(ctx, chain.Tokens) }
	return Group{Name: "Signed-in reads", Loads: []Load{
		b.plainSelect(), user,
		b.get("GET /api/get-waitlist-status", "/api/get-waitlist-status", tokens...),
		b.get("GET /api/get-credit-balance", "/api/get-credit-balance", tokens...),
		refreshing,
	}}, nil
}

// credits are spent from many accounts, and from a single one.
func (b *bench) credits(ctx context.Context) (Group, error) {
	const accounts = 1000
	if err := b.signIn(ctx, accounts); err != nil {
		return Group{}, err
	}
	ids := make([]string, accounts)
	for i := range ids {
		ids[i] = b.people[i].ID()
	}
	if err := b.sql("billing", fund, ids)(ctx); err != nil {
		return Group{}, err
	}
	spend := func(name string, people int) Load {
		return b.opts.requests("POST /api/consume-credits, "+name, clients, request{
			Method: http.MethodPost, URL: b.GatewayURL() + "/api/consume-credits", Tokens: b.tokens(people),
			Body: `{"amount":1,"description":"Generated screen","idempotencyKey":"%n"}`,
		})
	}
	many := spend(fmt.Sprintf("%d accounts", accounts), accounts)
	many.Goal.Rate = 0.7
	return Group{Name: "Credits", Loads: []Load{b.script("pgbench: TPC-B-like", clients, "-b", "tpcb-like"), many, spend("one account", 1)}}, nil
}

// feeds are what installed apps and the download page ask, beside the least that the
// gateway can answer: that there is no such route. All middleware is in both.
func (b *bench) feeds(context.Context) (Group, error) {
	g := Group{Name: "Feeds", Loads: []Load{b.opts.requests("the gateway alone: 404", clients, request{
		Method: http.MethodGet, URL: b.GatewayURL() + "/api/no-such-route", Status: http.StatusNotFound,
	})}}
	for _, path := range []string{"/api/updates/latest-mac.yml", "/api/get-latest-downloads"} {
		whole := b.get("GET "+path, path)
		whole.Goal.Rate = 0.9
		// A client that has the answer is only told so.
		known := b.opts.requests("GET "+path+", 304", clients, request{
			Method: http.MethodGet, URL: b.GatewayURL() + path, Header: "If-None-Match: *", Status: http.StatusNotModified,
		})
		g.Loads = append(g.Loads, whole, known)
	}
	return g, nil
}
