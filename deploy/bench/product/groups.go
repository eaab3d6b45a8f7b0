package product

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"
)

// The tables of pgbench's side, as plain as they can be: a row with an address, found
// by its key.
const (
	plainTables = `
CREATE SCHEMA pgbench;
CREATE SEQUENCE pgbench.address;
CREATE TABLE pgbench.plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text NOT NULL UNIQUE, source text NOT NULL, created_at timestamptz NOT NULL);`
	plainInsert = `\set n random(1, 1000000000000000)
INSERT INTO plain (email, source, created_at) VALUES ('person-' || :n || '@bench.test', 'hero_section', now()) ON CONFLICT (email) DO NOTHING;
`
	selectOnly = "@select-only"
	tpcb       = "@tpcb-like"
)

const (
	accounts     = 1000
	signUpRoute  = "POST /api/add-waitlist-user"
	bareSignUp   = "gin, one gRPC call, one INSERT by pgx, and nothing else"
	userRoute    = "GET /api/auth/user"
	refreshing   = "POST /api/auth/token, refreshing"
	plainInserts = "pgbench: INSERT of one row"
	plainSelects = "pgbench: SELECT by key"
)

// signUp is the launch: everybody at the form.
func (b *bench) signUp() Group {
	return Group{Name: "Sign-up", Loads: []Load{
		b.pgbench.load(plainInserts, plainInsert, clients),
		b.wrk.load(signUpRoute, b.signUpRequest(clients)),
	}}
}

func (b *bench) signUpRequest(connections int) request {
	return request{
		Method: http.MethodPost, URL: b.product.GatewayURL() + "/api/add-waitlist-user",
		Body: `{"email":"%s@bench.test","source":"hero_section"}`, Connections: connections,
	}
}

// alone is the same for one client that has the machine to itself, beside the least that
// the stack can do.
func (b *bench) alone(ctx context.Context) (Group, error) {
	bareURL, err := b.startBare(ctx)
	return Group{Name: "Sign-up, one client", Loads: []Load{
		b.pgbench.load(plainInserts, plainInsert, 1),
		b.wrk.load(bareSignUp, request{
			Method: http.MethodPost, URL: bareURL, Body: `{"email":"%s@bench.test"}`, Connections: 1,
		}),
		b.wrk.load(signUpRoute, b.signUpRequest(1)),
	}}, err
}

// reads are what a signed-in person's client asks all the time.
func (b *bench) reads(ctx context.Context) (Group, error) {
	if err := b.product.signIn(ctx, clients); err != nil {
		return Group{}, err
	}
	refresh, err := b.product.refreshTokens(ctx, clients)
	if err != nil {
		return Group{}, err
	}
	get := func(path string) request {
		return request{Method: http.MethodGet, URL: b.product.GatewayURL() + path, Tokens: b.product.tokens(clients)}
	}
	return Group{Name: "Signed-in reads", Loads: []Load{
		b.pgbench.load(plainSelects, selectOnly, clients),
		b.wrk.load(userRoute, get("/api/auth/user")),
		b.wrk.load("GET /api/get-waitlist-status", get("/api/get-waitlist-status")),
		b.wrk.load("GET /api/get-credit-balance", get("/api/get-credit-balance")),
		newChains(b.product.GatewayURL(), refresh).load(refreshing),
	}}, nil
}

// credits are spent from many accounts, and from a single one.
func (b *bench) credits(ctx context.Context) (Group, error) {
	if err := b.product.signIn(ctx, accounts); err != nil {
		return Group{}, err
	}
	if err := b.product.fund(ctx); err != nil {
		return Group{}, err
	}
	spend := func(people int) request {
		return request{
			Method: http.MethodPost, URL: b.product.GatewayURL() + "/api/consume-credits", Tokens: b.product.tokens(people),
			Body: `{"amount":1,"description":"Generated screen","idempotencyKey":"%s"}`,
		}
	}
	return Group{Name: "Credits", Loads: []Load{
		b.pgbench.load("pgbench: TPC-B-like", tpcb, clients),
		b.wrk.load(fmt.Sprintf("POST /api/consume-credits, %d accounts", accounts), spend(accounts)),
		b.wrk.load("POST /api/consume-credits, one account", spend(1)),
	}}, nil
}

// ledgerAddsUp recomputes all balances from their entries.
func (b *bench) ledgerAddsUp(ctx context.Context) error {
	return b.product.inDatabase(ctx, "billing", func(db *pgx.Conn) error {
		var wrong, spent int
		err := db.QueryRow(ctx, `SELECT
			(SELECT count(*) FROM credit_accounts a WHERE balance < 0
			   OR balance <> (SELECT coalesce(sum(amount), 0) FROM credit_entries e WHERE e.user_id = a.user_id)
			   OR balance <> (SELECT coalesce(sum(remaining), 0) FROM credit_grants g WHERE g.user_id = a.user_id)
			   OR (SELECT count(*) FROM credit_entries e WHERE e.user_id = a.user_id) <> (SELECT max(number) FROM credit_entries e WHERE e.user_id = a.user_id)),
			(SELECT count(*) FROM credit_entries WHERE kind = 'consume')`).Scan(&wrong, &spent)
		if err == nil && (wrong > 0 || spent == 0) {
			err = fmt.Errorf("%d accounts do not add up after %d spends", wrong, spent)
		}
		return err
	})
}

// feeds are what installed apps and the download page ask, beside the least that the
// gateway can answer: that there is no such route. All middleware is in both.
func (b *bench) feeds() Group {
	get := func(path string) request {
		return request{Method: http.MethodGet, URL: b.product.GatewayURL() + path}
	}
	empty := get("/api/no-such-route")
	empty.Status = http.StatusNotFound
	// A client that has the answer is only told so.
	known := func(path string) request {
		r := get(path)
		r.Headers, r.Status = map[string]string{"If-None-Match": "*"}, http.StatusNotModified
		return r
	}
	return Group{Name: "Feeds", Loads: []Load{
		b.wrk.load("the gateway alone: 404", empty),
		b.wrk.load("GET /api/updates/latest-mac.yml", get("/api/updates/latest-mac.yml")),
		b.wrk.load("GET /api/get-latest-downloads", get("/api/get-latest-downloads")),
		b.wrk.load("GET /api/updates/latest-mac.yml, 304", known("/api/updates/latest-mac.yml")),
		b.wrk.load("GET /api/get-latest-downloads, 304", known("/api/get-latest-downloads")),
	}}
}
