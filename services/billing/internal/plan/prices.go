package plan

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/pg"
)

// averageMonth is what the length of a paid period is measured by.
const averageMonth = 365.25 / 12 * 24 * float64(time.Hour)

// Sold is a plan at one of its prices.
type Sold struct {
	Plan
	// perPeriod is what the price gives for each period that is paid for, in hundredths of a
	// credit; 0 leaves it to the plan.
	perPeriod int64
}

// Agreed reports whether it was agreed on for the price what it gives.
func (s Sold) Agreed() bool { return s.perPeriod > 0 }

// Gives reports whether both are the same plan with the same credits for each period.
func (s Sold) Gives(same Sold) bool { return s.ID == same.ID && s.perPeriod == same.perPeriod }

// Credits are what a paid period gives: what was agreed on for the price, or else the plan's
// monthly credits for each month of it, and never for less than one.
func (s Sold) Credits(start, end time.Time) int64 {
	return s.PeriodCredits(int64(math.Round(float64(end.Sub(start)) / averageMonth)))
}

// PeriodCredits are what a period of so many months gives that is paid for.
func (s Sold) PeriodCredits(months int64) int64 {
	if s.perPeriod > 0 {
		return s.perPeriod
	}
	return s.MonthlyCredits * max(months, 1)
}

// Trial is what a trial gives: the share of a month's credits that it lasts, rounded up, and no
// more than a month's. What was agreed on for a price counts for a trial, too.
func (s Sold) Trial(start, end time.Time) int64 {
	if s.perPeriod > 0 {
		return s.perPeriod
	}
	share := math.Ceil(float64(s.MonthlyCredits) * float64(end.Sub(start)) / averageMonth)
	return min(int64(share), s.MonthlyCredits)
}

// Prices say which plan a price of Stripe's sells.
type Prices struct {
	plans  []Plan
	agreed map[string]db.PlanPrice
}

// Of returns the plan that a price sells: the one that it was agreed on for or is offered for, or else the one
// whose product it belongs to. So who subscribed at an earlier
// price is served at it. ok is false for a price of somebody else's.
func (p Prices) Of(priceID, productID string) (_ Sold, ok bool) {
	agreed, special := p.agreed[priceID]
	at := slices.IndexFunc(p.plans, func(candidate Plan) bool {
		if special {
			return candidate.ID == agreed.PlanID
		}
		return candidate.Offer.interval(priceID) != ""
	})
	if at < 0 && !special && productID != "" {
		at = slices.IndexFunc(p.plans, func(candidate Plan) bool { return candidate.Offer.ProductID == productID })
	}
	if at < 0 {
		return Sold{}, false
	}
	return Sold{p.plans[at], agreed.PeriodCredits}, true
}

// Sells reports whether a price sells a plan.
func (p Prices) Sells(priceID, productID string) bool {
	_, ok := p.Of(priceID, productID)
	return ok
}

// At returns a plan at a price that sells it, whatever the price's product is; ok is false when there is no such
// plan.
func (p Prices) At(priceID, planID string) (_ Sold, ok bool) {
	at := p.place(planID)
	if at < 0 {
		return Sold{}, false
	}
	sold := Sold{Plan: p.plans[at]}
	if agreed := p.agreed[priceID]; agreed.PlanID == planID {
		sold.perPeriod = agreed.PeriodCredits
	}
	return sold, true
}

// The intervals that plans are sold by, in Stripe's words.
const (
	Month = "month"
	Year  = "year"
)

// interval is the one that a price is offered by; "" for another's price.
func (o Offer) interval(priceID string) string {
	switch priceID {
	case "":
		return ""
	case o.PriceID:
		return Month
	case o.AnnualPriceID:
		return Year
	}
	return ""
}

// OnSale is the offer without the prices that the plan cannot be sold at, as far as Stripe was asked.
func (p Plan) OnSale() Offer {
	if !p.PriceFits {
		return Offer{}
	}
	offer := p.Offer
	if !p.YearlyFits || p.PriceYearly == 0 {
		offer.AnnualPriceID = ""
	}
	return offer
}

// Offered returns the plan that a price is offered for, and the interval; ok is false for a price
// at which nothing can be bought now.
func (p Prices) Offered(priceID string) (_ Plan, interval string, ok bool) {
	for _, candidate := range p.plans {
		if interval := candidate.OnSale().interval(priceID); interval != "" {
			return candidate, interval, true
		}
	}
	return Plan{}, "", false
}

// Paid is what a subscription is paid by.
type Paid struct {
	// Interval is in Stripe's words; it is paid every Count of them, which are at least one.
	Interval string
	Count    int64
	// Amount is what is charged each time, before discounts and taxes, in the smallest unit of Currency; 0
	// where nobody knows.
	Amount   int64
	Currency string
}

// PaidEach returns what a subscription is paid by, of what Stripe says: a month where that is no interval, and one
// of them where that is no count.
func PaidEach(interval string, count, amount int64, currency string) Paid {
	return Paid{Interval: cmp.Or(interval, Month), Count: max(count, 1), Amount: amount, Currency: currency}
}

// Months is how long a period is that is paid at once; 0 for less than a month.
func (p Paid) Months() int64 {
	switch p.Interval {
	case Year:
		return 12 * p.Count
	case Month:
		return p.Count
	}
	return 0
}

// Paid is what the plan is paid by at its price for an interval.
func (p Plan) Paid(interval string) Paid {
	if interval == Year {
		return PaidEach(Year, 1, p.PriceYearly, "usd")
	}
	return PaidEach(Month, 1, p.PriceMonthly, "usd")
}

// Same reports whether an order for a plan at its price for an interval is for what somebody has who pays for
// that plan so. A plan without a price by the year is the same for all who do not pay for several intervals at once; one
// that is set to end is the same wherever no order could continue it as it is.
func (p Plan) Same(has Paid, interval string, ending bool) bool {
	annual := p.OnSale().AnnualPriceID != ""
	switch months := has.Months(); {
	case months == p.Paid(interval).Months():
		return true
	case ending && months != 1 && (months != 12 || !annual):
		return true
	default:
		return has.Count == 1 && !annual
	}
}

// Waits reports whether a change of a plan's subscription to a price on sale waits for the next
// period: the price is paid for a shorter time, or less is charged each time. Stripe's portal, with the
// configuration that billing makes, decides so. Where nobody knows what the subscription costs, the plan that
// is listed first is the cheaper one.
func (p Prices) Waits(planID string, has Paid, priceID string) bool {
	wanted, interval, _ := p.Offered(priceID)
	then := wanted.Paid(interval)
	switch {
	case then.Months() < has.Months():
		return true
	case has.Amount > 0 && has.Currency == then.Currency:
		return then.Amount < has.Amount
	default:
		return then.Months() == has.Months() && p.place(wanted.ID) < p.place(planID)
	}
}

// Later are the prices on sale to which a change of a plan's subscription waits.
func (p Prices) Later(planID string, has Paid) (priceIDs []string) {
	for _, candidate := range p.plans {
		offer := candidate.OnSale()
		for _, id := range []string{offer.PriceID, offer.AnnualPriceID} {
			if id != "" && p.Waits(planID, has, id) {
				priceIDs = append(priceIDs, id)
			}
		}
	}
	return priceIDs
}

// place is where a plan stands in the list, which begins with the cheapest.
func (p Prices) place(id string) int {
	return slices.IndexFunc(p.plans, func(c Plan) bool { return c.ID == id })
}

// NewPrices returns the prices of some plans, of which some were agreed on.
func NewPrices(plans []Plan, agreed ...db.PlanPrice) Prices {
	p := Prices{plans: plans, agreed: map[string]db.PlanPrice{}}
	for _, row := range agreed {
		p.agreed[row.PriceID] = row
	}
	return p
}

// Prices reads them. Unavailable when the database is.
func (c *Catalog) Prices(ctx context.Context) (Prices, error) {
	plans, err := c.List(ctx)
	if err != nil {
		return Prices{}, err
	}
	agreed, err := c.Agreed(ctx)
	return NewPrices(plans, agreed...), err
}

// Agreed are the prices that Agree has been called for, the oldest first.
func (c *Catalog) Agreed(ctx context.Context) ([]db.PlanPrice, error) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	rows, err := c.q.ListPlanPrices(ctx, c.pool)
	return rows, pg.Fault(err, nil)
}

// ErrNoPlan refuses a price for a plan that there is not.
var ErrNoPlan = errors.New("plan: no such plan")

// Agree has a price sell a plan, whatever its product is, for so many credits a period, and
// records that an operator did.
func (c *Catalog) Agree(ctx context.Context, price, plan string, credits int64, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	err := pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		_, err := c.q.PutPlanPrice(ctx, tx, db.PutPlanPriceParams{PriceID: price, PlanID: plan, PeriodCredits: credits, Now: now})
		if err != nil {
			return err
		}
		return staff.Record(staff.AsOperator(ctx), tx, audit.Action{
			Name: staff.PriceAgreed, Subject: price, After: audit.State{"plan": plan, "credits": staff.Decimal(credits)},
		})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNoPlan
	}
	return pg.Fault(err, nil)
}

// Forget takes back what Agree did, and reports whether there was anything.
func (c *Catalog) Forget(ctx context.Context, price string) (known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		n, err := c.q.DeletePlanPrice(ctx, tx, price)
		if known = n > 0; err != nil || !known {
			return err
		}
		return staff.Record(staff.AsOperator(ctx), tx, audit.Action{Name: staff.PriceDropped, Subject: price})
	})
	return known, pg.Fault(err, nil)
}

// Charged notes what Stripe charges for a plan each month or year, in US cents: that is what people
// are shown. It reports whether it was another amount before.
func (c *Catalog) Charged(ctx context.Context, plan, interval string, amount int64) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	var n int64
	if interval == Year {
		n, err = c.q.SetPriceYearly(ctx, c.pool, db.SetPriceYearlyParams{ID: plan, PriceYearly: amount})
	} else {
		n, err = c.q.SetPriceMonthly(ctx, c.pool, db.SetPriceMonthlyParams{ID: plan, PriceMonthly: amount})
	}
	if err == nil {
		err = c.setFits(ctx, plan, interval, true)
	}
	return n > 0, pg.Fault(err, nil)
}

// Unfit has a plan not be sold by an interval, because its price is not one that it can be sold at.
// Charged has it sold again.
func (c *Catalog) Unfit(ctx context.Context, plan, interval string) error {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	return pg.Fault(c.setFits(ctx, plan, interval, false), nil)
}

func (c *Catalog) setFits(ctx context.Context, plan, interval string, fits bool) error {
	if interval == Year {
		return c.q.SetYearlyFits(ctx, c.pool, db.SetYearlyFitsParams{ID: plan, Fits: fits})
	}
	return c.q.SetPriceFits(ctx, c.pool, db.SetPriceFitsParams{ID: plan, Fits: fits})
}
