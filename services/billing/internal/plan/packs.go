package plan

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Pack is credits that are paid once and sold beside a plan.
type Pack struct {
	// ProductID and PriceID are Stripe's.
	ProductID, PriceID string
	// Credits are in hundredths.
	Credits int64
	// Amount is in the smallest unit of Currency ("usd").
	Amount   int64
	Currency string
}

// Packs are the whole credits that each price of Stripe's gives.
type Packs map[string]int64

// maxPack is the most that a pack gives; more is a slip.
const maxPack = 1_000_000

// UnmarshalText reads "price_1=20,price_2=50".
func (p *Packs) UnmarshalText(text []byte) error {
	packs := Packs{}
	for pair := range strings.SplitSeq(string(text), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		id, number, _ := strings.Cut(strings.TrimSpace(pair), "=")
		credits, err := strconv.ParseInt(number, 10, 64)
		_, twice := packs[id]
		switch {
		case !strings.HasPrefix(id, "price_") || err != nil || credits < 1 || credits > maxPack:
			return fmt.Errorf("%q is no price with whole credits such as price_1=20", pair)
		case twice:
			return fmt.Errorf("%s is there twice", id)
		}
		packs[id] = credits
	}
	*p = packs
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (p Packs) MarshalText() ([]byte, error) {
	pairs := make([]string, 0, len(p))
	for _, id := range slices.Sorted(maps.Keys(p)) {
		pairs = append(pairs, id+"="+strconv.FormatInt(p[id], 10))
	}
	return []byte(strings.Join(pairs, ",")), nil
}

// PackPrices are the prices of the packs that are configured, in alphabetical order.
func (c *Catalog) PackPrices() []string { return slices.Sorted(maps.Keys(c.packs)) }

// SellsPack reports whether a price sells a pack.
func (c *Catalog) SellsPack(priceID string) bool { return c.packs[priceID] > 0 }

// Packs are those that can be bought, the fewest credits first: Stripe has said what they cost.
// Unavailable when the database is.
func (c *Catalog) Packs(ctx context.Context) ([]Pack, error) {
	if len(c.packs) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	rows, err := c.q.ListPackPrices(ctx, c.pool)
	var list []Pack
	for _, row := range rows {
		if credits, sold := c.packs[row.PriceID]; sold {
			list = append(list, Pack{ProductID: row.ProductID, PriceID: row.PriceID, Credits: 100 * credits, Amount: row.Amount, Currency: row.Currency})
		}
	}
	slices.SortFunc(list, func(a, b Pack) int {
		return cmp.Or(cmp.Compare(a.Credits, b.Credits), cmp.Compare(a.PriceID, b.PriceID))
	})
	return list, pg.Fault(err, nil)
}

// PackCharged notes what Stripe charges for a pack, which can be bought from then on. It reports
// whether that is new.
func (c *Catalog) PackCharged(ctx context.Context, p Pack) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	n, err := c.q.PutPackPrice(ctx, c.pool, db.PutPackPriceParams{PriceID: p.PriceID, ProductID: p.ProductID, Amount: p.Amount, Currency: p.Currency})
	return n > 0, pg.Fault(err, nil)
}

// PackUnfit has a pack not be sold, because its price cannot be paid.
func (c *Catalog) PackUnfit(ctx context.Context, priceID string) error {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	return pg.Fault(c.q.DropPackPrice(ctx, c.pool, priceID), nil)
}
