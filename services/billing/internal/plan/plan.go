// Package plan has the plans that are sold: those of the database, with Stripe's ids
// from the configuration.
package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Plan is something that is sold.
type Plan struct {
	// ID is "pro", "business" or "enterprise".
	ID          string
	Name        string
	Description string
	// MonthlyCredits is in hundredths of a credit; 0 where it is agreed on.
	MonthlyCredits int64
	// PriceMonthly is in US cents; 0 where it is agreed on.
	PriceMonthly int64
	// PriceYearly is in US cents; 0 where none is offered, or Stripe has not said yet.
	PriceYearly int64
	// Offer is where Stripe sells it; zero when it cannot be bought here.
	Offer Offer
	// PriceFits and YearlyFits are whether it can be sold at the offer's prices by the month and by the year, as
	// far as Stripe was asked.
	PriceFits, YearlyFits bool
	Features              []Feature
	// ContactSales is sold by talking to sales instead of a checkout.
	ContactSales bool
}

// Feature is one thing that a plan gives.
type Feature struct {
	Text string `json:"text"`
	// Info says more than the text alone; may be empty.
	Info string `json:"info"`
}

// Catalog reads the plans. Safe for concurrent use.
type Catalog struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	offers   map[string]Offer
	packs    Packs
	deadline time.Duration
}

// NewCatalog returns the catalog of a migrated database, with the offers of the
// mode that cfg has chosen.
func NewCatalog(pool *pgxpool.Pool, cfg Config, deadline time.Duration) *Catalog {
	return &Catalog{pool: pool, q: db.New(), offers: cfg.offers(), packs: cfg.chosen().Packs, deadline: deadline}
}

// List returns all plans, cheapest first. Unavailable when the database is.
func (c *Catalog) List(ctx context.Context) ([]Plan, error) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	rows, err := c.q.ListPlans(ctx, c.pool)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	plans := make([]Plan, len(rows))
	for i, row := range rows {
		plans[i] = Plan{
			ID: row.ID, Name: row.Name, Description: row.Description, MonthlyCredits: row.MonthlyCredits,
			PriceMonthly: row.PriceMonthly, PriceYearly: row.PriceYearly, Offer: c.offers[row.ID], PriceFits: row.PriceFits, YearlyFits: row.YearlyFits, ContactSales: row.ContactSales,
		}
		if plans[i].Offer.AnnualPriceID == "" {
			plans[i].PriceYearly = 0
		}
		if err := json.Unmarshal(row.Features, &plans[i].Features); err != nil {
			return nil, fmt.Errorf("plan: features of %s: %w", row.ID, err)
		}
	}
	return plans, nil
}

// ByID returns the plan with an id; ok is false when there is none.
func (c *Catalog) ByID(ctx context.Context, id string) (_ Plan, ok bool, err error) {
	plans, err := c.List(ctx)
	for _, p := range plans {
		if p.ID == id {
			return p, true, nil
		}
	}
	return Plan{}, false, err
}
