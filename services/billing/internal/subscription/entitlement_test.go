package subscription

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
)

var (
	plans = plan.NewPrices(
		[]plan.Plan{
			{ID: "pro", Name: "Pro", MonthlyCredits: 5000, Offer: plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}},
			{ID: "business", Name: "Business", MonthlyCredits: 10000, Offer: plan.Offer{ProductID: "prod_business", PriceID: "price_business"}},
			{ID: "enterprise", Name: "Enterprise"},
		},
		db.PlanPrice{PriceID: "price_pro_more", PlanID: "pro", PeriodCredits: 8000},
		db.PlanPrice{PriceID: "price_enterprise_a", PlanID: "enterprise", PeriodCredits: 200000},
		db.PlanPrice{PriceID: "price_enterprise_b", PlanID: "enterprise", PeriodCredits: 500000},
	)
	first  = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	second = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	third  = time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
)

func bill(id, reason string, at time.Time, lines ...stripe.Line) stripe.Invoice {
	return stripe.Invoice{ID: id, Reason: reason, Status: "paid", Created: at, PaidAt: at, Lines: lines}
}

func month(price string, start, end time.Time) stripe.Line {
	return stripe.Line{ID: "il_" + price, PriceID: price, Amount: 2500, Quantity: 1, Start: start, End: end}
}

func prorated(price string, amount int64, at, end time.Time) stripe.Line {
	return stripe.Line{ID: "il_" + price, PriceID: price, Amount: amount, Quantity: 1, Start: at, End: end, Proration: true}
}

func TestWhichInvoicesStandForWhichCredits(t *testing.T) {
	t.Parallel()
	middle := first.AddDate(0, 0, 10)
	created := bill("in_1", "subscription_create", first, month("price_pro", first, second))
	raised := bill("in_2", "subscription_update", middle, prorated("price_pro", -1600, middle, second), prorated("price_business", 3200, middle, second))
	base, rise := fmt.Sprintf("sub_1/%d/base 5000", first.Unix()), fmt.Sprintf("sub_1/%d/upgrade:business 3215", first.Unix()) // 18 of 28 days are left
	threefold := month("price_pro", first, second)
	threefold.Quantity = 3
	free := month("price_pro", first, second)
	free.Amount = 0
	used := month("price_used", first.AddDate(0, -1, 0), first)
	used.ProductID, used.Quantity = "prod_pro", 1
	update := func(lines ...stripe.Line) stripe.Invoice {
		return bill("in_2", "subscription_update", middle, lines...)
	}
	pro, business := func(amount int64) stripe.Line { return prorated("price_pro", amount, middle, second) }, func(amount int64) stripe.Line { return prorated("price_business", amount, middle, second) }
	doubled := business(0)
	doubled.Quantity = 2
	foreign := created
	foreign.Currency = "eur"
	more := created
	more.MoreLines = true
	for name, tc := range map[string]struct {
		invoices []stripe.Invoice
		grants   []string
		unfit    []string
		price    string // that the subscription has now, if not Business
	}{
		"the first":           {[]stripe.Invoice{created}, []string{base}, nil, ""},
		"a free month":        {[]stripe.Invoice{bill("in_1", "subscription_create", first, free)}, []string{base}, nil, ""},
		"in another currency": {[]stripe.Invoice{foreign}, []string{base}, nil, ""},
		"two months, the newest first": {[]stripe.Invoice{bill("in_3", "subscription_cycle", second, month("price_business", second, third)), created},
			[]string{base, fmt.Sprintf("sub_1/%d/base 10000", second.Unix())}, nil, ""},
		"a renewal with prorations": {[]stripe.Invoice{bill("in_1", "subscription_cycle", first, prorated("price_pro", -5, first, second), month("price_pro", first, second))},
			[]string{base}, nil, ""},
		"an upgrade":                               {[]stripe.Invoice{raised, created}, []string{base, rise}, nil, ""},
		"an upgrade of nothing":                    {[]stripe.Invoice{raised}, nil, []string{OddInvoice + " in_2"}, ""},
		"a downgrade":                              {[]stripe.Invoice{created, bill("in_2", "subscription_update", middle, prorated("price_business", -3200, middle, second), prorated("price_pro", 1600, middle, second))}, []string{base}, nil, ""},
		"something else":                           {[]stripe.Invoice{bill("in_1", "manual", first, month("price_pro", first, second))}, []string{base}, nil, ""},
		"another price":                            {[]stripe.Invoice{bill("in_1", "subscription_create", first, month("price_x", first, second))}, nil, nil, ""},
		"an upgrade from elsewhere":                {[]stripe.Invoice{created, bill("in_2", "subscription_update", middle, prorated("price_x", -1, middle, second), prorated("price_business", 2, middle, second))}, []string{base, rise}, nil, ""},
		"three of it":                              {[]stripe.Invoice{bill("in_1", "subscription_create", first, threefold)}, nil, []string{OddQuantity + " in_1"}, ""},
		"two plans at once":                        {[]stripe.Invoice{bill("in_1", "subscription_create", first, month("price_pro", first, second), month("price_business", first, second))}, nil, []string{OddInvoice + " in_1"}, ""},
		"no lines":                                 {[]stripe.Invoice{bill("in_1", "subscription_create", first)}, nil, nil, ""},
		"more lines than shown":                    {[]stripe.Invoice{more}, nil, []string{OddInvoice + " in_1"}, ""},
		"a period without length":                  {[]stripe.Invoice{bill("in_1", "subscription_create", first, month("price_pro", first, first))}, nil, []string{OddInvoice + " in_1"}, ""},
		"usage beside the plan":                    {[]stripe.Invoice{bill("in_1", "subscription_cycle", first, month("price_pro", first, second), used)}, []string{base}, nil, ""},
		"a late upgrade for nothing":               {[]stripe.Invoice{created, update(pro(0), business(0))}, []string{base, rise}, nil, ""},
		"a late upgrade for nothing, turned round": {[]stripe.Invoice{created, update(business(0), pro(0))}, []string{base, rise}, nil, ""},
		"the same, heard of twice":                 {[]stripe.Invoice{created, update(pro(0), business(0)), bill("in_3", "subscription_update", middle, pro(0), business(0))}, []string{base, rise, rise}, nil, ""},
		"a late upgrade, taken back":               {[]stripe.Invoice{created, update(pro(0), business(0))}, []string{base}, nil, "price_pro"},
		"a late downgrade for nothing":             {[]stripe.Invoice{created, update(business(0), pro(0))}, []string{base}, nil, "price_pro"},
		"for nothing, to neither":                  {[]stripe.Invoice{created, update(pro(0), business(0))}, []string{base}, []string{OddInvoice + " in_2"}, "price_x"},
		"up from a month that was free":            {[]stripe.Invoice{created, update(pro(0), business(3200))}, []string{base, rise}, nil, ""},
		"up to a month that is free":               {[]stripe.Invoice{created, update(pro(-1600), business(0))}, []string{base, rise}, nil, ""},
		"two charges":                              {[]stripe.Invoice{created, update(pro(1), business(2))}, []string{base}, []string{OddInvoice + " in_2"}, ""},
		"two that go back":                         {[]stripe.Invoice{created, update(pro(-1), business(-2))}, []string{base}, []string{OddInvoice + " in_2"}, ""},
		"one line":                                 {[]stripe.Invoice{created, update(business(0))}, []string{base, rise}, nil, ""},
		"for nothing, two of it":                   {[]stripe.Invoice{created, update(pro(0), doubled)}, []string{base}, []string{OddQuantity + " in_2"}, ""},
		"for nothing, from another price":          {[]stripe.Invoice{created, update(prorated("price_x", 0, middle, second), business(0))}, []string{base, rise}, nil, ""},
	} {
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: cmp.Or(tc.price, "price_business"), Metered: []string{"price_used"}}, tc.invoices, plans)
		var grants, problems []string
		for _, e := range list {
			grants = append(grants, fmt.Sprint(e.grant.Fact, " ", e.grant.Amount))
		}
		for _, u := range unfit {
			problems = append(problems, u.Reason+" "+u.Object)
		}
		if !slices.Equal(grants, tc.grants) || !slices.Equal(problems, tc.unfit) {
			t.Errorf("%s: %q and %q, want %q and %q", name, grants, problems, tc.grants, tc.unfit)
		}
	}
}

// TestAChangeBetweenPricesOfAPlanIsWorthItsCredits, as often as it happens in a period.
func TestAChangeBetweenPricesOfAPlanIsWorthItsCredits(t *testing.T) {
	t.Parallel()
	middle, later := first.AddDate(0, 0, 14), first.AddDate(0, 0, 21)
	change := func(id, from, to string, at time.Time) stripe.Invoice {
		return bill(id, "subscription_update", at, prorated(from, -1, at, second), prorated(to, 2, at, second))
	}
	begun := func(price string) stripe.Invoice {
		return bill("in_1", "subscription_create", first, month(price, first, second))
	}
	for name, tc := range map[string]struct {
		invoices []stripe.Invoice
		grants   []string
	}{
		"to what was agreed on": {[]stripe.Invoice{begun("price_pro"), change("in_2", "price_pro", "price_pro_more", middle)},
			[]string{"base 5000 Pro plan", "upgrade:pro:price_pro_more 1500 Upgrade of Pro"}},
		"up twice": {[]stripe.Invoice{begun("price_pro"), change("in_2", "price_pro", "price_enterprise_a", middle), change("in_3", "price_enterprise_a", "price_enterprise_b", later)},
			[]string{"base 5000 Pro plan", "upgrade:enterprise 97500 Upgrade to Enterprise", "upgrade:enterprise:price_enterprise_b 75000 Upgrade of Enterprise"}},
		"down": {[]stripe.Invoice{begun("price_enterprise_b"), change("in_2", "price_enterprise_b", "price_enterprise_a", middle)},
			[]string{"base 500000 Enterprise plan"}},
		"to another price of the same credits": {[]stripe.Invoice{begun("price_pro"), bill("in_2", "subscription_update", middle,
			prorated("price_pro", -1, middle, second), stripe.Line{ID: "il_2", PriceID: "price_2", ProductID: "prod_pro", Amount: 2, Quantity: 1, Start: middle, End: second, Proration: true})},
			[]string{"base 5000 Pro plan"}},
	} {
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1"}, tc.invoices, plans)
		var grants []string
		for _, e := range list {
			grants = append(grants, fmt.Sprint(e.grant.Fact[len("sub_1/1769817600/"):], " ", e.grant.Amount, " ", e.grant.Description))
		}
		if len(unfit) > 0 || !slices.Equal(grants, tc.grants) {
			t.Errorf("%s: %q and %v, want %q", name, grants, unfit, tc.grants)
		}
	}
}

// TestAGrantSaysWhatWasPaid, which is less than its invoice comes to where the customer's balance has
// paid a part.
func TestAGrantSaysWhatWasPaid(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ total, paid int64 }{
		"all of it": {2500, 2500}, "half from the balance": {2500, 1250}, "all from the balance": {2500, 0}, "free": {0, 0},
	} {
		invoice := bill("in_1", "subscription_cycle", first, month("price_pro", first, second))
		invoice.Total, invoice.Paid, invoice.Currency = tc.total, tc.paid, "jpy"
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: "price_pro"}, []stripe.Invoice{invoice}, plans)
		want := ledger.Payment{Invoice: "in_1", Amount: 100 * tc.paid, Currency: "jpy"}
		if len(list) != 1 || len(unfit) != 0 || list[0].grant.Amount != 5000 || list[0].grant.Paid != want {
			t.Errorf("%s: %+v, %v; want paid %+v", name, list, unfit, want)
		}
	}
}

// TestALateUpgradeIsWorthWhatItCosts: whoever upgrades in the last hour of each month,
// for a few cents, and goes back with its end must not get the dearer plan's credits.
func TestALateUpgradeIsWorthWhatItCosts(t *testing.T) {
	t.Parallel()
	created := bill("in_1", "subscription_create", first, month("price_pro", first, second))
	for _, tc := range []struct {
		at   time.Time
		want int64
	}{
		{first, 5000},
		{first.Add(8 * time.Minute), 5000},
		{first.Add(14 * 24 * time.Hour), 2500},
		{second.Add(-time.Hour), 8},
		{second.Add(-time.Second), 1},
	} {
		up := bill("in_2", "subscription_update", tc.at, prorated("price_pro", -3, tc.at, second), prorated("price_business", 6, tc.at, second))
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: "price_business"}, []stripe.Invoice{created, up}, plans)
		if len(list) != 2 || len(unfit) != 0 || list[1].grant.Amount != tc.want {
			t.Errorf("an upgrade %s before the end: %v, %v; want %d", second.Sub(tc.at), list, unfit, tc.want)
		}
	}
}

func TestStatusesAreThoseOfTheSite(t *testing.T) {
	t.Parallel()
	end := second
	for name, tc := range map[string]struct {
		s    stripe.Subscription
		want string
	}{
		"active":               {stripe.Subscription{Status: "active"}, "active"},
		"trialing":             {stripe.Subscription{Status: "trialing"}, "active"},
		"ends on a date":       {stripe.Subscription{Status: "active", CancelAt: end}, "cancelled"},
		"ends with its period": {stripe.Subscription{Status: "active", CancelAtPeriodEnd: true}, "cancelled"},
		"not collected":        {stripe.Subscription{Status: "active", Held: true}, "paused"},
		"neither, to its end":  {stripe.Subscription{Status: "active", Held: true, CancelAtPeriodEnd: true}, "cancelled"},
		"overdue and held":     {stripe.Subscription{Status: "past_due", Held: true}, "past_due"},
		"past due and ending":  {stripe.Subscription{Status: "past_due", CancelAt: end}, "past_due"},
		"canceled":             {stripe.Subscription{Status: "canceled"}, "free"},
		"unpaid":               {stripe.Subscription{Status: "unpaid"}, "past_due"},
		"incomplete_expired":   {stripe.Subscription{Status: "incomplete_expired"}, "free"},
		"incomplete":           {stripe.Subscription{Status: "incomplete"}, "incomplete"},
		"paused":               {stripe.Subscription{Status: "paused"}, "paused"},
	} {
		if got := StatusOf(tc.s); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestWhatWasUsedBesideThePlanIsNoPlan, also once the subscription has that item no more, and however much it was.
func TestWhatWasUsedBesideThePlanIsNoPlan(t *testing.T) {
	t.Parallel()
	for _, quantity := range []int64{37, 0, 1} {
		used := month("price_used", first, second)
		used.ProductID, used.Quantity = "prod_pro", quantity
		renewed := bill("in_2", "subscription_cycle", second, used, month("price_pro", second, third))
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: "price_pro"}, []stripe.Invoice{renewed}, plans)
		if len(unfit) > 0 || len(list) != 1 || list[0].grant.Fact != fmt.Sprintf("sub_1/%d/base", second.Unix()) {
			t.Errorf("%d used: %+v, %v", quantity, list, unfit)
		}
	}
}

// TestPeriodsThatHavePassedWhenItBeginsAreGiven, because staff have sold them.
func TestPeriodsThatHavePassedWhenItBeginsAreGiven(t *testing.T) {
	t.Parallel()
	begun := bill("in_1", "subscription_create", second.AddDate(0, 0, 3), month("price_pro", first, second), month("price_pro", second, third))
	if list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: "price_pro"}, []stripe.Invoice{begun}, plans); len(list) != 2 || len(unfit) > 0 {
		t.Errorf("%+v, %v", list, unfit)
	}
}

// TestWhatIsPaidLateLastsFromThen, for as long as its period, and ends no other: an invoice may be paid weeks after it was sent.
func TestWhatIsPaidLateLastsFromThen(t *testing.T) {
	t.Parallel()
	length := second.Sub(first)
	for name, tc := range map[string]struct {
		due, paid, start time.Time
		late             bool
	}{
		"charged":                {time.Time{}, first, first, false},
		"charged again":          {time.Time{}, first.AddDate(0, 0, 14), first, false},
		"sent, paid at once":     {first.AddDate(0, 0, 30), first, first, false},
		"sent, paid before due":  {first.AddDate(0, 0, 30), first.AddDate(0, 0, 28), first.AddDate(0, 0, 28), true},
		"charged, months later":  {time.Time{}, second.AddDate(0, 0, 20), second.AddDate(0, 0, 20), true},
		"nobody knows when":      {first.AddDate(0, 0, 30), time.Time{}, first, false},
		"sent before its period": {first.AddDate(0, 0, 30), first.AddDate(0, 0, -5), first, false},
	} {
		invoice := bill("in_1", "subscription_cycle", first, month("price_pro", first, second))
		invoice.DueAt, invoice.PaidAt = tc.due, tc.paid
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: "price_pro"}, []stripe.Invoice{invoice}, plans)
		if len(list) != 1 || len(unfit) > 0 {
			t.Fatalf("%s: %v, %v", name, list, unfit)
		}
		got := list[0].grant
		if !got.PeriodStart.Equal(tc.start) || !got.PeriodEnd.Equal(tc.start.Add(length)) || got.Replaces == tc.late || got.Amount != 5000 || got.Fact != fmt.Sprintf("sub_1/%d/base", first.Unix()) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestAnUpgradeThatIsPaidLateLastsFromThen, whether it has an invoice of its own or is billed with the next period. It ends
// no other: what was bought days before may be for an earlier period.
func TestAnUpgradeThatIsPaidLateLastsFromThen(t *testing.T) {
	t.Parallel()
	middle, length, next := first.AddDate(0, 0, 10), second.Sub(first), third.Sub(second)
	up := []stripe.Line{prorated("price_pro", -1600, middle, second), prorated("price_business", 3200, middle, second)}
	own, renewal := bill("in_2", "subscription_update", middle, up...), bill("in_2", "subscription_cycle", second, append(up, month("price_business", second, third))...)
	sent := second.AddDate(0, 0, 30)
	for name, tc := range map[string]struct {
		invoice     stripe.Invoice
		due, paid   time.Time
		start, ends time.Time
		late        bool
	}{
		"charged":                     {own, time.Time{}, middle, first, second, false},
		"charged, after days":         {own, time.Time{}, second.AddDate(0, 0, -1), first, second, false},
		"charged, after the period":   {own, time.Time{}, second.AddDate(0, 0, 3), second.AddDate(0, 0, 3), second.AddDate(0, 0, 3).Add(length), true},
		"sent, paid in the period":    {own, sent, middle.AddDate(0, 0, 3), middle.AddDate(0, 0, 3), middle.AddDate(0, 0, 3).Add(length), true},
		"sent, paid after the period": {own, sent, second.AddDate(0, 0, 12), second.AddDate(0, 0, 12), second.AddDate(0, 0, 12).Add(length), true},
		"charged with the next":       {renewal, time.Time{}, second, second, third, false},
		"sent with the next":          {renewal, sent, second.AddDate(0, 0, 20), second.AddDate(0, 0, 20), second.AddDate(0, 0, 20).Add(next), true},
	} {
		tc.invoice.DueAt, tc.invoice.PaidAt = tc.due, tc.paid
		list, unfit := entitlements(stripe.Subscription{ID: "sub_1", PriceID: "price_business"}, []stripe.Invoice{bill("in_1", "subscription_create", first, month("price_pro", first, second)), tc.invoice}, plans)
		n := slices.IndexFunc(list, func(e entitlement) bool {
			return e.grant.Fact == fmt.Sprintf("sub_1/%d/upgrade:business", first.Unix())
		})
		if n < 0 || len(unfit) > 0 {
			t.Fatalf("%s: %v, %v", name, list, unfit)
		}
		got := list[n].grant
		if !got.PeriodStart.Equal(tc.start) || !got.PeriodEnd.Equal(tc.ends) || got.Replaces == tc.late || got.Amount != 3215 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRefundsInPiecesComeToTheWhole(t *testing.T) {
	t.Parallel()
	for _, tc := range [][4]int64{{5000, 500, 2500, 1000}, {5000, 2500, 2500, 5000}, {5000, 1, 3, 1667}, {5000, 9, 3, 5000}, {100, 1, 100000, 1}} {
		if got := share(tc[0], tc[1], tc[2]); got != tc[3] {
			t.Errorf("share(%d, %d, %d) = %d, want %d", tc[0], tc[1], tc[2], got, tc[3])
		}
	}
}
