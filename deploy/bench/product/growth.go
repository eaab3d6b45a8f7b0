package product

import (
	"context"
	_ "embed" // grow.sql
	"errors"
	"fmt"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
)

//go:embed grow.sql
var grow string

const growthHead = `Cost of one operation with 1,000, 100,000 and 1,000,000 waitlist entries, in units of pgbench's INSERT (sign-up)
or SELECT (the rest) of the same moment. It may grow by %.1f×.

| operation | 10³ | 10⁵ | 10⁶ | grows by | |
|---|---:|---:|---:|---:|---|
`

// growth measures the same operations with more and more rows. Cost is in units of
// pgbench's plain INSERT or SELECT of the same moment, so that a machine that becomes busy
// does not look like growth.
func (b *bench) growth(ctx context.Context) (string, error) {
	const most = 1.5
	if err := b.setUp(ctx); err != nil {
		return "", err
	}
	var measured [][]Result // of each size, each group
	for n, size := range []int{1_000, 100_000, 1_000_000} {
		if err := errors.Join(b.sql("waitlist", grow, size)(ctx), b.sql("waitlist", "VACUUM ANALYZE waitlist_users")(ctx)); err != nil {
			return "", err
		}
		groups, err := b.growing(ctx)
		if err != nil {
			return "", err
		}
		measured = append(measured, make([]Result, len(groups)))
		for i, g := range groups {
			if measured[n][i], err = b.measure(ctx, g); err != nil {
				return "", err
			}
		}
	}
	text := fmt.Sprintf(growthHead, most)
	for g, r := range measured[0] {
		for i, load := range r.Group.Loads[1:] {
			cost := func(size int) float64 { return 1 / measured[size][g].Ratio(i+1).Median }
			grows := cost(2) / cost(0)
			text += fmt.Sprintf("| %s | %.2f | %.2f | %.2f | %.2f× | %s |\n", load.Name, cost(0), cost(1), cost(2), grows, met(grows <= most))
		}
	}
	return text, nil
}

// growing are the operations, writes beside a write and reads beside a read.
func (b *bench) growing(ctx context.Context) ([]Group, error) {
	if err := b.signIn(ctx, clients); err != nil {
		return nil, err
	}
	b.admin = person.New(b.URLs().Site) // an export needs a fresh sign-in
	if err := b.admin.SignIn(ctx, stack.AdminEmail); err != nil {
		return nil, err
	}
	admin, people := b.admin.Token(), b.tokens(clients)
	return []Group{
		{Name: "Growth, writes", Loads: []Load{b.plainInsert(clients), b.signUpRequests(signUpRoute, clients)}},
		{Name: "Growth, reads", Loads: []Load{
			b.plainSelect(),
			b.get("status look-up", "/api/get-waitlist-status", people...),
			b.get("page of 50", "/api/get-waitlist-users?limit=50", admin),
			b.get("selective search", "/api/get-waitlist-users?limit=50&search=ada.c4ca4238", admin),
			b.get("search by a domain's letters", "/api/get-waitlist-users?limit=50&search=b%C3%BCch", admin),
			b.get("page of 50, pending", "/api/get-waitlist-users?limit=50&status=pending", admin),
			b.get("emails not delivered", "/api/get-waitlist-users?limit=50&mail=undelivered", admin),
			b.get("emails by state", "/api/get-mails?service=waitlist&state=bounced", admin),
			b.get("export of a search", "/api/export-waitlist-users?search=ada.c4ca4238", admin),
			b.get("ledger balance", "/api/get-credit-balance", people...),
			b.get("figures, counted", "/api/get-admin-stats", admin),
		}},
	}, nil
}
