package store_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/pgtest"
)

// TestAmountsThatAPersonTakesAlong are in the currency itself, whatever the unit is that Stripe counts it in.
func TestAmountsThatAPersonTakesAlong(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing_export", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	for currency, want := range map[string][3]json.Number{
		"usd": {"25.00", "300.00", "12.34"}, "jpy": {"2500.00", "30000.00", "1234.00"}, "kwd": {"2.50", "30.00", "1.23"},
	} {
		user := uuid.New()
		if _, err := pool.Exec(t.Context(), `INSERT INTO customers (user_id, created_at) VALUES ($1, now())`, user); err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), `INSERT INTO subscriptions (id, user_id, plan_id, status, stripe_status, price_id, period_start, period_end, created_at, updated_at,
				currency, monthly_amount, period_amount, due_amount, due_currency, due_since)
			VALUES ('sub_' || $2::text, $1, 'pro', 'past_due', 'past_due', 'price_1', now(), now() + interval '1 month', now(), now(), $2, 2500, 30000, 1234, $2, now())`, user, currency); err != nil {
			t.Fatal(err)
		}
		rows, err := store.ExportTables(pool)[0].Read(t.Context(), export.Account{ID: user}, "")
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		var got struct {
			Month json.Number `json:"charged_per_month"`
			Each  json.Number `json:"charged_each_time"`
			Due   json.Number `json:"overdue_amount"`
		}
		errtest.None(t, json.Unmarshal(rows[0].Fields, &got))
		if [3]json.Number{got.Month, got.Each, got.Due} != want {
			t.Errorf("%s: %v, want %v", currency, got, want)
		}
	}
}
