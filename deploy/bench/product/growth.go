package product

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
)

// sizes are how many entries the waitlist has.
var sizes = []int{1_000, 100_000, 1_000_000}

// most is by how much the cost of an operation may grow from the first size to the
// last.
const most = 1.5

// invented are rows like those of `make seed`, the newest last.
const invented = `INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, version)
	SELECT gen_random_uuid(), (ARRAY['ada', 'bob', 'cyd', 'dee'])[1 + n % 4] || '.' || substr(md5(n::text), 1, 12) || '@example.com',
	       'pending', 'import', now() - (random() * interval '60 days'), now(), 1
	FROM generate_series((SELECT count(*) FROM waitlist_users)::int + 1, $1::int) n ON CONFLICT DO NOTHING`

// Growth measures the same operations with more and more rows, and writes a section of
// the results with a plot. Cost is in units of pgbench's plain INSERT or SELECT of the
// same moment, so that a machine that becomes busy does not look like growth.
func Growth(ctx context.Context, opts Options, dir string) (err error) {
	b, err := start(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.product.Stop(context.WithoutCancel(ctx))) }()
	costs := map[string][]float64{}
	var names []string
	for _, size := range sizes {
		if err := b.grow(ctx, size); err != nil {
			return err
		}
		groups, err := b.growing(ctx)
		if err != nil {
			return err
		}
		for _, g := range groups {
			r, err := b.run(ctx, g)
			if err != nil {
				return err
			}
			for i, load := range g.Loads[1:] {
				if len(costs[load.Name]) == 0 {
					names = append(names, load.Name)
				}
				costs[load.Name] = append(costs[load.Name], 1/r.Ratio(i+1).Median)
			}
		}
	}
	if err := put(dir, growth, growthTable(names, costs)); err != nil {
		return err
	}
	return plot(dir, names, costs)
}

func (b *bench) grow(ctx context.Context, size int) error {
	return b.product.inDatabase(ctx, "waitlist", func(db *pgx.Conn) error {
		for _, sql := range []string{"SET statement_timeout = 0", invented, "VACUUM ANALYZE waitlist_users"} {
			var args []any
			if sql == invented {
				args = []any{size}
			}
			if _, err := db.Exec(ctx, sql, args...); err != nil {
				return fmt.Errorf("%d rows: %w", size, err)
			}
		}
		return nil
	})
}

// growing are the operations, writes beside a write and reads beside a read.
func (b *bench) growing(ctx context.Context) ([]Group, error) {
	if err := b.product.signIn(ctx, clients); err != nil {
		return nil, err
	}
	if err := b.product.admin.Renew(ctx); err != nil {
		return nil, err
	}
	get := func(path string, tokens ...string) request {
		return request{Method: http.MethodGet, URL: b.product.GatewayURL() + path, Tokens: tokens}
	}
	admin, people := bearer(b.product.admin), b.product.tokens(clients)
	return []Group{
		{Name: "Growth, writes", Loads: b.signUp().Loads[:2]},
		{Name: "Growth, reads", Loads: []Load{
			b.pgbench.load(plainSelects, selectOnly, clients),
			b.wrk.load("status look-up", get("/api/get-waitlist-status", people...)),
			b.wrk.load("page of 50", get("/api/get-waitlist-users?limit=50", admin)),
			b.wrk.load("selective search", get("/api/get-waitlist-users?limit=50&search=ada.c4ca4238", admin)),
			b.wrk.load("ledger balance", get("/api/get-credit-balance", people...)),
			b.wrk.load("figures, counted", get("/api/get-admin-stats", admin)),
		}},
	}, nil
}

func growthTable(names []string, costs map[string][]float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, growth+"\n\nCost of one operation with 1,000, 100,000 and 1,000,000 waitlist entries, in units of pgbench's INSERT (sign-up)\nor SELECT (the rest) of the same moment. It may grow by %.1f×. Load average %s.\n\n![](growth.svg)\n\n"+
		"| operation | 10³ | 10⁵ | 10⁶ | grows by | |\n|---|---:|---:|---:|---:|---|\n", most, loadAverage())
	for _, name := range names {
		c := costs[name]
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f | %.2f× | %s |\n", name, c[0], c[1], c[2], c[2]/c[0], met(c[2]/c[0] <= most))
	}
	return b.String()
}
