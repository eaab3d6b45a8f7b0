package stats_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/platform/errtest"
)

// paid is a subscription that comes to an amount each month.
func paid(id string, user int, status, stripe, plan, created string, monthly int, currency string) []string {
	return []string{
		subscribe(id, user, status, plan, created),
		"UPDATE subscriptions SET stripe_status = '" + stripe + "', currency = '" + currency + "', monthly_amount = " + strconv.Itoa(monthly) + " WHERE id = '" + id + "'",
	}
}

func TestFinances(t *testing.T) {
	t.Parallel()
	pool, _, reader := open(t)
	run(t, pool, people(13)...)
	for _, rows := range [][]string{
		paid("a", 1, "active", "active", "pro", "2026-01-01", 2500, "usd"),
		paid("b", 2, "active", "active", "pro", "2026-03-10", 2900, "usd"), // new
		paid("c", 3, "past_due", "past_due", "business", "2026-01-01", 5000, "eur"),
		paid("d", 4, "cancelled", "active", "pro", "2026-01-01", 2500, "usd"),    // set to end
		paid("e", 5, "past_due", "unpaid", "pro", "2026-01-01", 2500, "usd"),     // given up
		paid("f", 6, "active", "trialing", "pro", "2026-01-01", 2500, "usd"),     // pays nothing yet
		paid("g", 7, "free", "canceled", "pro", "2026-01-01", 2500, "usd"),       // ended lately
		paid("h1", 8, "free", "canceled", "pro", "2026-01-01", 2500, "usd"),      // came back
		paid("h2", 8, "active", "active", "business", "2026-03-01", 5000, "usd"), // as this
		paid("i", 9, "free", "incomplete_expired", "pro", "2026-01-01", 2500, "usd"),
		paid("j", 10, "incomplete", "past_due", "pro", "2026-01-01", 2500, "usd"), // never paid
		paid("k", 11, "processing", "active", "pro", "2026-01-01", 2500, "usd"),   // not yet
		paid("l", 12, "paused", "active", "pro", "2026-01-01", 2500, "usd"),       // not collected
		paid("m", 13, "free", "canceled", "pro", "2026-01-01", 2500, "usd"),       // never paid
	} {
		run(t, pool, rows...)
	}
	run(t, pool,
		`UPDATE subscriptions SET ended_at = '2026-03-01' WHERE status = 'free'`,
		`INSERT INTO credit_grants (user_id, fact, series, replaces, reference, description, amount, remaining, period_start, period_end, expires_at, created_at, ended_at)
			SELECT user_id, id, id, true, 'x', 'x', 5000, 0, '2026-01-01', '2026-02-01', '2026-02-01', '2026-01-01', '2026-02-01' FROM subscriptions WHERE id IN ('g', 'h1')`,
		`UPDATE credit_accounts SET balance = 700, held = 100 WHERE user_id = lpad('1', 32, '0')::uuid`,
		entry(1, 1, "2026-02-14 00:00:00Z", "grant", 5000), entry(1, 2, "2026-02-13 23:59:59Z", "consume", -1),
		entry(1, 3, "2026-02-15 00:00:00Z", "consume", -20), entry(2, 1, "2026-03-14 23:59:59Z", "clawback", -5),
		entry(1, 4, "2026-03-15 12:00:00Z", "adjust", 300), entry(1, 5, "2026-03-15 12:00:00Z", "expire", -4000),
	)
	got, err := reader.Finances(t.Context())
	errtest.None(t, err)
	want := stats.Finances{
		Groups: []stats.Group{
			{"Pro", "price_1", "active", stats.Money{Currency: "usd", Amount: 2500}, 2},
			{"Pro", "price_1", "active", stats.Money{Currency: "usd", Amount: 2900}, 1},
			{"Pro", "price_1", "cancelled", stats.Money{Currency: "usd", Amount: 2500}, 1},
			{"Pro", "price_1", "incomplete", stats.Money{Currency: "usd", Amount: 2500}, 1},
			{"Pro", "price_1", "past_due", stats.Money{Currency: "usd", Amount: 2500}, 1},
			{"Pro", "price_1", "paused", stats.Money{Currency: "usd", Amount: 2500}, 1},
			{"Pro", "price_1", "processing", stats.Money{Currency: "usd", Amount: 2500}, 1},
			{"Business", "price_1", "active", stats.Money{Currency: "usd", Amount: 5000}, 1},
			{"Business", "price_1", "past_due", stats.Money{Currency: "eur", Amount: 5000}, 1},
		},
		Revenue: []stats.Money{{Currency: "eur", Amount: 5000}, {Currency: "usd", Amount: 2500 + 2900 + 5000}},
		Had:     8, Lost: 1, // a, c, d, e, f, g, h and l; g has none now
		Movement:    stats.Movement{Granted: 5000, Spent: 20, Expired: 4000, Withdrawn: 5, Adjusted: 300},
		Outstanding: 700,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestWhoseMoneyWentBack are those who spent what was paid back, who owe the most first, and those
// with payments that they dispute, each counted once, until they get the credits back.
func TestWhoseMoneyWentBack(t *testing.T) {
	t.Parallel()
	pool, _, reader := open(t)
	run(t, pool, people(6)...)
	user := func(n int) string { return fmt.Sprintf("lpad('%d', 32, '0')::uuid", n) }
	grant := func(fact string, n, owed int) string {
		return fmt.Sprintf(`INSERT INTO credit_grants (user_id, fact, series, replaces, reference, description, amount, remaining, owed, period_start, period_end, expires_at, created_at)
			VALUES (%s, '%s', 'x', false, 'x', 'x', 5000, 0, %d, '2026-01-01', '2026-02-01', '2026-02-01', '2026-01-01')`, user(n), fact, owed)
	}
	withdraw := func(fact string, n int) string {
		return fmt.Sprintf("INSERT INTO credit_withdrawals (fact, user_id, wanted, taken, created_at) VALUES ('%s', %s, 100, 100, '2026-01-02')", fact, user(n))
	}
	run(t, pool,
		grant("a", 1, 300), grant("b", 1, 200), grant("c", 2, 700), grant("d", 3, 0), grant("e", 6, 0),
		withdraw("refund/re_1/in_1", 1), withdraw("dispute/dp_1/in_1", 2), withdraw("dispute/dp_2/in_2", 4), withdraw("dispute/dp_2/in_3", 4), withdraw("dispute/dp_3/in_4", 5), withdraw("dispute/dp_4/in_5", 5),
		withdraw("dispute/dp_5/in_6", 6),
		"INSERT INTO credit_restorations (fact, user_id, grant_id, amount, given, created_at) SELECT 'dispute/dp_5/in_6', user_id, id, 100, 100, '2026-01-03' FROM credit_grants WHERE fact = 'e'",
	)
	got, err := reader.Finances(t.Context())
	errtest.None(t, err)
	id := func(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("%032d", n)) }
	want := []stats.Owing{{id(2), 700, 1}, {id(1), 500, 0}, {id(5), 0, 2}, {id(4), 0, 1}}
	if !slices.Equal(got.Owing, want) || got.Owed != 1200 {
		t.Errorf("%d are owed, by %v, want %v", got.Owed, got.Owing, want)
	}
}
